import { expect } from 'chai';
import fc from 'fast-check';
import { positionAt } from '../../../src/engine/text-position.ts';
import { parseYaml } from '../../../src/engine/yaml.ts';
import { placedText } from '../../../src/engine/yaml-node.ts';

const MARK = '{{';

/** Lines of words, one of which is the mark, as the value of a key. */
const lines = fc
  .array(fc.array(fc.constantFrom('a', 'bc', "d''e", '😀'), { minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 4,
  })
  .chain((words) =>
    fc.record({
      words: fc.constant(words),
      line: fc.nat(words.length - 1),
      indent: fc.integer({ min: 1, max: 4 }),
      gap: fc.nat(2),
      style: fc.constantFrom('|', '>', '>-', "'", '"', ''),
    }),
  );

describe('the place of a character of a text', () => {
  it('is where it is written, in every style of YAML', () => {
    fc.assert(
      fc.property(lines, ({ words, line, indent, gap, style }) => {
        const written = words.map((each, i) => (i === line ? [...each, MARK] : each).join(' '));
        const body = written.join(`\n${'\n'.repeat(gap)}${' '.repeat(indent)}`);
        const isBlock = style.startsWith('|') || style.startsWith('>');
        const open = isBlock ? `${style}\n${' '.repeat(indent)}` : style;
        const source = `a:\n  x\nkey: ${open}${body}${isBlock ? '' : style}\n`;
        expect(placeOfMark(source)).to.deep.equal(writtenAt(source));
      }),
    );
  });
});

function placeOfMark(source: string) {
  const { root } = parseYaml(source, { file: 'x.yml', trusted: true });
  const entry = root.kind === 'map' ? root.entries.find(({ key }) => key === 'key') : undefined;
  const text = entry === undefined ? undefined : placedText(entry.node);
  if (text?.position === undefined) throw new Error(`no text in ${source}`);
  const { line, column } = positionAt(text.text, text.position, text.text.indexOf(MARK));
  return { line, column };
}

function writtenAt(source: string) {
  const before = source.slice(0, source.indexOf(MARK)).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
