import { expect } from 'chai';
import { readFaults } from './read-output.ts';

describe('reading what ended a run', () => {
  it('finds every place of a problem that was found before the run', () => {
    const problem =
      'the module "script" is not available (see the list; also at b.yml:9:3, c/d.yml:4:1)';
    const output = `/t/a.yml:2:3  ${problem}\n`;
    const places = readFaults(output, '/t').map(({ file, line }) => `${file}:${line}`);
    expect(places).to.deep.equal(['/t/a.yml:2', '/t/b.yml:9', '/t/c/d.yml:4']);
  });

  it('finds no other place in a message', () => {
    const places = readFaults('/t/a.yml:2:3  it is not like b.yml:9:3\n', '/t');
    expect(places.map(({ file }) => file)).to.deep.equal(['/t/a.yml']);
  });
});
