import { expect } from 'chai';
import { withEnvironment } from '../../../src/engine/host/environment.ts';
import { parseGroup, parseUser } from '../../../src/engine/host/parse-account.ts';
import { parsePath } from '../../../src/engine/host/parse-path.ts';
import { parseUnit } from '../../../src/engine/host/parse-unit.ts';
import { TaskError } from '../../../src/shared/errors.ts';

const output = (code: number, stdout: string, stderr = '') => ({
  code,
  stdout: Buffer.from(stdout),
  stderr: Buffer.from(stderr),
});

describe('what a host prints about a path', () => {
  const numbers =
    '81a4|0|0|6|42|65024|1|2026-01-31 23:59:59.5 +0000|2026-01-31 23:59:59.000000001 +0000|1969-12-31 23:59:59 +0000';

  it('has times with their fractions, before 1970 too', () => {
    const state = parsePath('/f', output(0, `${numbers}\nroot\nroot\n`));
    expect(state?.atime).to.equal(Date.UTC(2026, 0, 31, 23, 59, 59, 500) / 1000);
    expect(state?.mtime).to.equal(Date.UTC(2026, 0, 31, 23, 59, 59) / 1000 + 1e-9);
    expect(state?.ctime).to.equal(-1);
  });

  it('has content that was sent as octets', () => {
    const text = `${numbers}\nroot\nroot\nsum:abc\nhex:\n 00 ff\n 0a\n`;
    const state = parsePath('/f', output(0, text));
    expect(state).to.include({ checksum: 'abc', mode: 0o644, type: 'file' });
    expect([...(state?.content ?? [])]).to.deep.equal([0, 255, 10]);
  });

  it('has no content of an empty file that cannot be read', () => {
    const state = parsePath('/f', output(0, `${numbers}\nroot\nroot\n`));
    expect(state).not.to.have.property('content');
    expect(state).not.to.have.property('checksum');
  });

  for (const text of [
    "stat: cannot statx '/f': No such file or directory",
    "stat: can't stat '/f': No such file or directory",
    "stat: cannot statx '/etc/hosts/f': Not a directory",
  ]) {
    it(`says that nothing is there: ${text}`, () => {
      expect(parsePath('/f', output(1, '', text))).to.equal(undefined);
    });
  }

  it('does not take a hidden path for a missing one', () => {
    const hidden = output(1, '', "stat: cannot statx '/root/f': Permission denied\n");
    expect(() => parsePath('/root/f', hidden)).to.throw(
      TaskError,
      '"/root/f" cannot be examined: Permission denied',
    );
    const toolless = output(1, '', 'sh: 1: stat: not found\n');
    expect(() => parsePath('/f', toolless)).to.throw(TaskError, 'not found');
  });
});

describe('what a host prints about accounts', () => {
  const passwd =
    'root:x:0:0:root:/root:/bin/sh\n42:x:7:8:A name of digits:/:\nada:x:42:1::/home/ada:/bin/sh\n';

  it('is looked up by name first, then by number', () => {
    expect(parseUser('ada', passwd)).to.include({
      uid: 42,
      gid: 1,
      comment: '',
      home: '/home/ada',
    });
    expect(parseUser('42', passwd)).to.include({ name: '42', uid: 7, shell: '' });
    expect(parseUser('7', passwd)).to.include({ name: '42' });
    expect(parseUser('x', passwd)).to.equal(undefined);
  });

  it('has the members of a group', () => {
    const group = 'adm:x:4:syslog,ada\nempty:x:5:\n';
    expect(parseGroup('adm', group)).to.deep.equal({
      name: 'adm',
      gid: 4,
      members: ['syslog', 'ada'],
    });
    expect(parseGroup('5', group)?.members).to.deep.equal([]);
  });
});

describe('what a host prints about a unit', () => {
  it('has all properties, also those of several lines', () => {
    const text =
      'Id=a.service\nLoadState=loaded\nActiveState=active\nUnitFileState=enabled\nStatusText=one\ntwo = 2\nEmpty=\n';
    const unit = parseUnit('a', text);
    expect(unit).to.include({ name: 'a', exists: true, active: 'active', enabled: 'enabled' });
    expect(unit.properties).to.include({ StatusText: 'one\ntwo = 2', Empty: '' });
  });

  it('knows units that are masked, missing, or not managed at all', () => {
    expect(parseUnit('a', 'LoadState=masked\nActiveState=inactive\n').exists).to.equal(true);
    expect(parseUnit('a', 'LoadState=not-found\nActiveState=inactive\n').exists).to.equal(false);
    expect(parseUnit('a', '')).to.include({ exists: false, active: 'inactive', enabled: '' });
  });
});

describe('the environment of a task', () => {
  it('is exported, whatever its values hold', () => {
    const script = withEnvironment({ A: "it's\n$(id)", EMPTY: '' }, 'true');
    expect(script).to.equal("export A='it'\\''s\n$(id)'\nexport EMPTY=''\ntrue");
  });
});
