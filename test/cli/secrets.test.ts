import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { encryptWith } from '../../src/engine/vault/secrets.ts';
import { makeWorld, type World } from '../support/play-here.ts';
import type { CommandResult } from '../support/run-command.ts';
import { runTsprov } from '../support/tsprov.ts';

/** Where secrets come from, or what they are for. */
const NAMES = [
  'group',
  'varsFile',
  'included',
  'inline',
  'copied',
  'templateText',
  'account',
  'url',
  'urlArgument',
  'token',
  'become',
  'login',
  'broken',
  'looped',
  'fact',
  'passphrase',
] as const;
type Name = (typeof NAMES)[number];

/** Quotes, signs and letters that every way of writing texts writes in its own way; a login in a URL takes none. */
const secretOf = (name: Name): string =>
  name === 'url' ? 'Pl4nted-in-url' : `Pl4nted "${name}" 'ü' & <$(id)> + /`;

const VAULT = { label: 'default', password: 'vault-Pl4nted-password' };
const vaulted = (text: string) => encryptWith(VAULT, text);
const variables = (...names: Name[]) =>
  vaulted(stringify(Object.fromEntries(names.map((name) => [name, secretOf(name)]))));

const hidden = { no_log: true };
const ignored = { ignore_errors: true };
const TASKS = (made: string, world: string): object[] => [
  { include_vars: 'included.yml' },
  { include_vars: '{{ item }}', loop: ['included.yml'] },
  { include_vars: { dir: 'more' } },
  { shell: 'test -n "$TOKEN"', environment: { TOKEN: '{{ token }}' } },
  { shell: "echo '{{ group }}' '{{ included }}'; cat /nonexistent", ...hidden, ...ignored },
  { command: 'echo {{ item | quote }}', loop: ['{{ looped }}'], ...hidden },
  { fail: { msg: '{{ item }}' }, loop: ['{{ looped }}'], ...hidden, ...ignored },
  { copy: { content: '{{ inline }}', dest: `${made}/content` } },
  { copy: { content: '{{ inline }}', dest: `${made}/content-2` }, ...hidden, diff: true },
  { lineinfile: { path: `${made}/content`, line: '{{ varsFile }}' }, ...hidden, diff: true },
  { copy: { src: 'copied.txt', dest: `${made}/copied` } },
  { template: { src: 'text.j2', dest: `${made}/template` } },
  { user: { name: 'tsprov-nobody', password: '{{ account }}' }, check_mode: true, diff: true },
  {
    user: { name: 'tsprov-nobody', generate_ssh_key: true, ssh_key_passphrase: '{{ passphrase }}' },
    check_mode: true,
    ...ignored,
  },
  { get_url: { url: 'http://u:{{ url }}@127.0.0.1:1/a', dest: `${made}/url` }, ...ignored },
  {
    get_url: {
      url: 'http://127.0.0.1:1/a',
      dest: `${made}/url`,
      url_username: 'u',
      url_password: '{{ urlArgument }}',
    },
    ...ignored,
  },
  {
    unarchive: { src: 'http://u:{{ url }}@127.0.0.1:1/a.tgz', dest: made, remote_src: true },
    ...ignored,
  },
  { debug: { msg: "{{ lookup('unvault', 'included.yml') | length }}" } },
  { assert: { that: "inline == 'x'" }, ...ignored },
  { debug: { msg: '{{ templated }}' }, ...ignored },
  { set_fact: { fact2: '{{ fact }}' }, ...hidden },
  {
    command: 'true',
    become: true,
    become_user: 'nobody',
    vars: { ansible_become_exe: '/bin/false', ansible_become_password: '{{ become }}' },
    ...ignored,
  },
  {
    command: 'true',
    delegate_to: 'away',
    vars: {
      ansible_connection: 'openssh',
      ansible_host: '127.0.0.1',
      ansible_port: 1,
      ansible_password: '{{ login }}',
    },
    ignore_unreachable: true,
  },
  {
    name: 'look at processes',
    shell: `grep -lFf ${world}/patterns /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | sed 's/^/SEEN-/'`,
  },
  { debug: { msg: 'this is the end' } },
];

/** The spellings of a secret: as it is, in JSON, in a URL, in base64 at any offset. */
function spellings(secret: string): string[] {
  const base64 = [0, 1, 2].map((offset) => {
    const text = Buffer.from('x'.repeat(offset) + secret).toString('base64');
    return text.slice(offset === 0 ? 0 : 4, -4);
  });
  const json = JSON.stringify(secret).slice(1, -1);
  const ascii = json.replaceAll('ü', '\\u00fc');
  return [secret, json, ascii, encodeURIComponent(secret), encodeURI(secret), ...base64];
}

function expectNoSecrets(text: string, where: string): void {
  const found = [...NAMES.map(secretOf), VAULT.password].flatMap((secret) =>
    spellings(secret)
      .filter((spelling) => text.includes(spelling))
      .map((spelling) => `${where} shows ${spelling}`),
  );
  expect(found).to.deep.equal([]);
}

const OUTPUTS: Readonly<Record<string, readonly string[]>> = {
  lines: ['-vvv', '--profile'],
  minimal: ['--output', 'minimal', '-vvv'],
  json: ['--output', 'json', '-vvv'],
  jsonl: ['--output', 'jsonl', '-vvvv'],
  check: ['--check', '-vvv'],
};

describe('planted secrets', () => {
  let world: World;

  before(() => {
    world = makeWorld();
    const inline = vaulted(secretOf('inline')).trimEnd().split('\n').join('\n        ');
    world.write({
      'group_vars/all.yml': variables('group', 'account', 'url', 'urlArgument', 'become', 'login'),
      'vars.yml': vaulted(
        `${stringify({ varsFile: secretOf('varsFile'), looped: secretOf('looped'), fact: secretOf('fact') })}
token: ${JSON.stringify(secretOf('token'))}
passphrase: ${JSON.stringify(secretOf('passphrase'))}
templated: ${JSON.stringify(`${secretOf('broken')} {{ nothing.here }}`)}
`,
      ),
      'included.yml': variables('included'),
      'more/a.yml': variables('included'),
      'copied.txt': vaulted(secretOf('copied')),
      'text.j2': vaulted(`${secretOf('templateText')} {{ varsFile }}`),
      hosts: 'here ansible_connection=local\n',
      password: VAULT.password,
      patterns: `${NAMES.map(secretOf).join('\n')}\n`,
      'made/.keep': '',
      'tmp/.keep': '',
      'home/.keep': '',
      'play.yml': `- hosts: here
  gather_facts: false
  vars_files: [vars.yml]
  vars:
    inline: !vault |
        ${inline}
  tasks: ${JSON.stringify(TASKS(world.path('made'), world.directory))}
`,
    });
  });
  after(() => world.remove());

  function play(words: readonly string[]): Promise<CommandResult> {
    const vault = ['--vault-password-file', world.path('password')];
    const args = ['play', '-i', world.path('hosts'), ...vault, ...words, world.path('play.yml')];
    return runTsprov(args, {
      cwd: world.directory,
      env: {
        ...process.env,
        HOME: world.path('home'),
        TMPDIR: world.path('tmp'),
        ANSIBLE_LOG_PATH: world.path('run.log'),
        ANSIBLE_CALLBACKS_ENABLED: 'junit',
        JUNIT_OUTPUT_DIR: world.path('junit'),
      },
    });
  }

  for (const [name, words] of Object.entries(OUTPUTS)) {
    it(`are not shown with ${name}`, async () => {
      const { code, stdout, stderr } = await play(words);
      expect(stdout + stderr, 'the whole playbook was played').to.include('this is the end');
      expect(code, stdout + stderr).to.equal(0);
      expectNoSecrets(stdout, 'stdout');
      expectNoSecrets(stderr, 'stderr');
      expect(stdout, 'processes that show secrets').not.to.include('SEEN-/proc');
    });
  }

  it('were used', () => {
    const made = (name: string) => readFileSync(world.path(`made/${name}`), 'utf8');
    expect(made('content')).to.equal(`${secretOf('inline')}\n${secretOf('varsFile')}\n`);
    expect(made('copied')).to.equal(secretOf('copied'));
    expect(made('template')).to.equal(`${secretOf('templateText')} ${secretOf('varsFile')}`);
  });

  it('are in no file but those that were to have them', () => {
    const files = readdirSync(world.directory, { recursive: true, encoding: 'utf8' });
    const others = files.filter((file) => !/^(?:made\/|patterns$|password$)/.test(file));
    expect(others).to.include('run.log');
    expect(others.some((file) => file.startsWith('junit/'))).to.equal(true);
    for (const file of others.filter((each) => statSync(world.path(each)).isFile())) {
      expectNoSecrets(readFileSync(join(world.directory, file), 'utf8'), file);
    }
  });

  it('of an ad hoc task are not shown either', async () => {
    const vault = ['--vault-password-file', world.path('password')];
    const task = ['run', 'here', '-m', 'include_vars', '-a', world.path('included.yml')];
    const { code, stdout, stderr } = await runTsprov([
      ...task,
      '-i',
      world.path('hosts'),
      ...vault,
      '-vvv',
    ]);
    expect(code, stderr).to.equal(0);
    expect(stdout).to.include('the output has been hidden');
    expectNoSecrets(stdout + stderr, 'the output');
  });
});
