/** Where a list of tasks stands, and the containers that enclose it. */
import type { Dict, Position, Value } from '../values.ts';
import type { Block, Container, Node, Role } from './model.ts';
import type { Source } from './source.ts';

/** Where a list of tasks stands. */
export interface TaskPlace {
  readonly parent: Container;
  readonly file: string;
  readonly playbookDir: string;
  readonly handlers: boolean;
  /** Files being imported, outermost first, to find cycles. */
  readonly imports: readonly string[];
  /** Variables that static names may use: extra vars and the play's own. */
  readonly variables: Dict;
  /** Takes the handlers and the identity of roles that are found on the way. */
  readonly roles: RoleSink;
}

/** Where roles met while loading leave what the play needs of them. */
export interface RoleSink {
  addRole(role: Role): void;
  addHandlers(handlers: readonly Node[], from: { readonly isImported: boolean }): void;
}

/** A block while its tasks are being loaded. */
export interface MutableBlock extends Omit<Block, 'block' | 'rescue' | 'always'> {
  block: Node[];
  rescue: Node[];
  always: Node[];
}

/** A container without tasks yet; they need it as their parent. */
export function emptyBlock(
  kind: Container['kind'],
  { parent }: Pick<TaskPlace, 'parent'>,
  position: Position,
  more: Partial<Pick<Container, 'keywords' | 'vars' | 'role' | 'includeParams'>> = {},
): MutableBlock & { name: Value } {
  return {
    node: 'block',
    kind,
    parent,
    keywords: more.keywords ?? new Map(),
    vars: more.vars ?? new Map(),
    role: more.role ?? parent.role,
    ...(more.includeParams !== undefined && { includeParams: more.includeParams }),
    position,
    name: '',
    block: [],
    rescue: [],
    always: [],
  };
}

/** Loads the tasks of a file. */
export type LoadFile = (source: Source, file: string, place: TaskPlace) => Node[];
