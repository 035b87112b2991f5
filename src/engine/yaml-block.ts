/** How a scalar is written, as the parser names it. */
interface WrittenScalar {
  readonly type?: string | undefined;
  readonly range?: readonly [start: number, valueEnd: number, nodeEnd: number] | null | undefined;
}

function isBlock({ type }: WrittenScalar): boolean {
  return type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED';
}

/** Where the text of a scalar begins: behind the quote, or on the first line of a block, behind its indentation. */
export function contentStart(
  source: string,
  scalar: WrittenScalar,
): { offset: number; indent: number } {
  const start = scalar.range?.[0] ?? 0;
  if (!isBlock(scalar))
    return { offset: start + (scalar.type?.startsWith('QUOTE') ? 1 : 0), indent: 0 };
  const header = source.indexOf('\n', start) + 1;
  const content = source.slice(header, scalar.range?.[1]);
  return { offset: header, indent: /^(?:[ \t]*\r?\n)*( *)/.exec(content)?.[1]?.length ?? 0 };
}

/** The text of a scalar. To a block at the end of a file that lacks its last newline, PyYAML adds none. */
export function blockText(source: string, scalar: WrittenScalar, text: string): string {
  const isLast = isBlock(scalar) && scalar.range?.[1] === source.length;
  const lastLine = source.slice(source.lastIndexOf('\n') + 1);
  return isLast && lastLine.trim() !== '' && text.endsWith('\n') ? text.slice(0, -1) : text;
}
