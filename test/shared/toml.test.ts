import { expect } from 'chai';
import fc from 'fast-check';
import {
  isSameToml,
  mergeToml,
  parseToml,
  renderToml,
  type TomlTable,
  tomlAt,
  tomlOf,
  tomlWith,
} from '../../src/shared/toml.ts';

const table = fc.letrec<{ table: TomlTable; value: unknown }>((tie) => ({
  table: fc.dictionary(fc.stringMatching(/^[a-z."' ]{1,8}$/), tie('value'), {
    maxKeys: 4,
    noNullPrototype: true,
  }) as fc.Arbitrary<TomlTable>, // Its values are those below.
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string(),
    fc.boolean(),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.double({ noNaN: true }),
    fc.array(fc.string(), { maxLength: 3 }),
    tie('table'),
  ),
})).table;

describe('TOML', () => {
  it('comes back as it was written', () => {
    fc.assert(
      fc.property(table, (each) => {
        const text = renderToml(each);
        expect(renderToml(parseToml(text))).to.equal(text);
        expect(isSameToml(text, `# comment\n${text}`)).to.equal(true);
      }),
    );
  });

  it('keeps floats apart from integers, and integers exact', () => {
    const text = 'a = 1.0\nb = 1\nc = 9223372036854775807\n';
    expect(renderToml(parseToml(text))).to.equal(text);
  });

  it('merges tables key by key and replaces everything else', () => {
    const under = parseToml('a = 1\nl = [1, 2]\n[t]\nx = 1\ny = 2\n[u]\nx = 1');
    const over = parseToml('l = [3]\nu = "text"\n[t]\ny = 3\nz = 4');
    expect(renderToml(mergeToml(under, over))).to.equal(
      'a = 1\nl = [ 3 ]\nu = "text"\n\n[t]\nx = 1\ny = 3\nz = 4\n',
    );
  });

  it('gives what was merged in, whatever was there', () => {
    fc.assert(
      fc.property(table, table, (under, over) => {
        const merged = mergeToml(under, over);
        expect(isSameToml(renderToml(mergeToml(merged, over)), renderToml(merged))).to.equal(true);
        for (const key of Object.keys(over)) expect(Object.hasOwn(merged, key)).to.equal(true);
      }),
    );
  });

  it('finds a value at the path at which it was put', () => {
    expect(tomlAt(tomlWith(['a', 'b.c', 'd'], true), ['a', 'b.c', 'd'])).to.equal(true);
    expect(tomlAt(tomlWith(['a', 'b'], 1n), ['a', 'b', 'c'])).to.equal(undefined);
    expect(tomlAt({}, ['toString'])).to.equal(undefined);
  });

  it('takes whole numbers of a playbook for integers', () => {
    expect(renderToml({ a: tomlOf({ n: 3, f: 0.5, l: [1, 'x'] }) })).to.equal(
      '[a]\nn = 3\nf = 0.5\nl = [ 1, "x" ]\n',
    );
    expect(() => tomlOf({ a: null })).to.throw(TypeError, 'TOML cannot hold null');
  });

  it('refuses keys that would reach into objects', () => {
    expect(() => parseToml('[__proto__]\nx = 1')).to.throw(Error);
  });
});
