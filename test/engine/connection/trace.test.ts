import { expect } from 'chai';
import { connect } from '../../../src/engine/connection/connect.ts';
import type { ConnectionSettings } from '../../../src/engine/connection/connection.ts';
import { needSshd, type Sshd, startSshd } from '../../support/sshd.ts';
import { connected, LOCAL, rejection, sshSettings } from './settings.ts';

/** Connects with so many `-v`; gives what is told, with the verbosity that each line asks for. */
async function told(settings: ConnectionSettings, verbosity: number): Promise<string[]> {
  const lines: string[] = [];
  const trace = {
    verbosity,
    tell: (least: number, text: string) => lines.push(`${least} ${text}`),
  };
  await connected({ ...settings, trace }, (shell) => shell.run('echo s3cret'));
  return lines;
}

describe('what a connection to this machine tells of itself', () => {
  it('is one line with -vvv', async () => {
    const lines = await told({ ...LOCAL, user: 'ada' }, 3);
    expect(lines).to.deep.equal(['3 <here> ESTABLISH LOCAL CONNECTION FOR USER: ada']);
  });
});

for (const transport of ['ssh', 'openssh'] as const) {
  describe(`what the ${transport} transport tells of itself`, () => {
    let sshd: Sshd;

    before(async function () {
      needSshd(this);
      sshd = await startSshd();
    });
    after(() => sshd?.stop());

    it('is who is reached with -vvv', async () => {
      const [first, ...more] = await told(sshSettings(sshd, { transport }), 3);
      expect(first).to.equal('3 <web1> ESTABLISH SSH CONNECTION FOR USER: root');
      const commands = more.map((line) => line.slice(0, '3 <web1> SSH: EXEC ssh '.length));
      expect(commands).to.deep.equal(transport === 'ssh' ? [] : ['3 <web1> SSH: EXEC ssh ']);
    });

    it('is the way of the handshake with -vvvv, but nothing that passes', async () => {
      const lines = await told(sshSettings(sshd, { transport }), 4);
      expect(lines.filter((line) => line.startsWith('4 <web1> '))).to.have.length.above(10);
      expect(lines.join('\n'))
        .to.match(/publickey/i)
        .and.not.include('s3cret');
    });

    it('does not hide why it failed', async () => {
      const trace = { verbosity: 4, tell: () => {} };
      const settings = sshSettings(sshd, { transport, privateKeyFile: '/etc/hostname', trace });
      const error = await rejection(connect(settings));
      expect(error.message).to.not.include('debug');
      const { message } = await rejection(connect({ ...settings, trace: undefined }));
      expect(error.message).to.equal(message);
    });
  });
}
