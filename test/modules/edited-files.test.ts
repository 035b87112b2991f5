import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { PathState, StateModule } from '../../src/engine/module.ts';
import { blockinfile } from '../../src/modules/blockinfile.ts';
import { lineinfile } from '../../src/modules/lineinfile.ts';
import type { EditedFile } from '../../src/modules/support/edited-file.ts';
import { parseArgs } from '../../src/shared/validate.ts';

/** What Ansible made of a file; texts are latin1, one character per byte. */
interface Recorded {
  readonly before: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly after: string;
  readonly msg: string;
}

const FACTS = { umask: 0o022, maker: { uid: 0, gid: 0, owner: 'root', group: 'root' } };

function edit<Args>(
  module: StateModule<Args, Args, EditedFile>,
  before: string,
  given: Readonly<Record<string, unknown>>,
): { after: string; msg: unknown; warnings: readonly string[] } {
  const args = parseArgs(module.args, module, { path: '/f', ...given });
  const plan = module.plan(fileOf(before), args);
  const write = plan.steps.find((step) => step.kind === 'write');
  const content = write?.content;
  const after =
    content?.kind === 'base64' ? Buffer.from(content.base64, 'base64').toString('latin1') : before;
  const result = module.report?.(plan.after, args, plan, []);
  return { after, msg: result?.['msg'], warnings: plan.warnings ?? [] };
}

function fileOf(text: string): EditedFile {
  const content = Buffer.from(text, 'latin1');
  const file: PathState = {
    ...{ path: '/f', type: 'file', mode: 0o644, uid: 0, gid: 0, owner: 'root', group: 'root' },
    ...{ size: content.length, inode: 1, device: 1, links: 1, atime: 0, mtime: 0, ctime: 0 },
    content,
  };
  return { path: '/f', file, missingParents: [], facts: FACTS };
}

function recorded(name: string): readonly Recorded[] {
  const file = new URL(`data/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Recorded[]; // Recorded in this form.
}

describe('lineinfile beside Ansible', () => {
  for (const { before, args, after, msg } of recorded('lineinfile')) {
    it(`makes of ${JSON.stringify(before)} with ${JSON.stringify(args)} what Ansible makes`, () => {
      expect(edit(lineinfile, before, args)).to.deep.include({ after, msg });
    });
  }

  it('ends an unfinished last line before it inserts after it', () => {
    expect(edit(lineinfile, 'a\nb', { line: 'x', insertafter: 'b' }).after).to.equal('a\nb\nx\n');
  });

  it('finds a line of several lines again', () => {
    const { after } = edit(lineinfile, 'a\n', { line: 'x\ny' });
    expect(after).to.equal('a\nx\ny\n');
    expect(edit(lineinfile, after, { line: 'x\ny' }).after).to.equal(after);
    expect(edit(lineinfile, after, { line: 'x\ny', state: 'absent' }).after).to.equal('a\n');
  });

  it('warns where the task would change the file at every run', () => {
    const { warnings } = edit(lineinfile, 't1\nt2\n', { line: 'x', search_string: 't' });
    expect(warnings.join()).to.include('changes the file at every run');
  });

  it('says which pattern is malformed', () => {
    expect(() => edit(lineinfile, 'a\n', { line: 'x', regexp: '(' })).to.throw(
      '"(" is not a Python pattern',
    );
  });
});

describe('blockinfile beside Ansible', () => {
  for (const { before, args, after, msg } of recorded('blockinfile')) {
    it(`makes of ${JSON.stringify(before)} with ${JSON.stringify(args)} what Ansible makes`, () => {
      expect(edit(blockinfile, before, args)).to.deep.include({ after, msg });
    });
  }

  it('finds a block whose last marker has no line break', () => {
    const text = '# BEGIN ANSIBLE MANAGED BLOCK\nold\n# END ANSIBLE MANAGED BLOCK';
    const { after } = edit(blockinfile, text, { block: 'new' });
    expect(after).to.equal('# BEGIN ANSIBLE MANAGED BLOCK\nnew\n# END ANSIBLE MANAGED BLOCK\n');
    expect(edit(blockinfile, text, { state: 'absent' }).after).to.equal('');
  });
});
