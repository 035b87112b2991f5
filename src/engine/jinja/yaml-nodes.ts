export type ScalarStyle = 'plain' | 'single' | 'double';

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly text: string;
  /** The tag to write where the plain form is not used (or would be read as another type). */
  readonly tag: string | undefined;
  readonly plainAllowed: boolean;
  /** A text of several lines, each line as it is; or a text in double quotes. */
  readonly style?: 'literal' | 'double';
}

/** A value as YAML sees it. */
export type YamlNode =
  | ScalarNode
  | (Collection & { readonly kind: 'sequence'; readonly items: readonly YamlNode[] })
  | (Collection & {
      readonly kind: 'mapping';
      readonly members: readonly (readonly [YamlNode, YamlNode])[];
    });

interface Collection {
  readonly flow: boolean;
  /** The name by which the node is written again, where the same node appears more than once. */
  anchor?: string;
}

export interface EmitterStyle {
  readonly indent: number;
  readonly width: number;
  readonly explicitStart: boolean;
  readonly explicitEnd: boolean;
  readonly defaultStyle: ScalarStyle;
}

/** Longest text of a key that is written before its colon on one line. */
const MAX_SIMPLE_KEY = 128;

/** Whether a key can stand before its colon on one line. */
export function isSimpleKey(key: YamlNode): boolean {
  if (key.kind === 'sequence') return key.items.length === 0;
  if (key.kind === 'mapping') return key.members.length === 0;
  return !key.text.includes('\n') && Buffer.byteLength(key.text) <= MAX_SIMPLE_KEY;
}
