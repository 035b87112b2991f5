import { userInfo } from 'node:os';
import { expect } from 'chai';
import { loadConfig } from '../../../src/engine/config.ts';
import type { Become } from '../../../src/engine/connection/connection.ts';
import type { ConnectionOptions } from '../../../src/engine/inventory/connection-reader.ts';
import { connectionSettings } from '../../../src/engine/inventory/connection-vars.ts';
import { fromPlain, type Value } from '../../../src/engine/values.ts';
import { InvalidInput } from '../../../src/shared/errors.ts';

interface Said {
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly keywords?: Readonly<Record<string, unknown>>;
  readonly options?: ConnectionOptions;
  readonly environment?: Readonly<Record<string, string>>;
}

describe('connection settings', () => {
  it("have Ansible's defaults", () => {
    const { connection, become } = settings({});
    expect(connection).to.deep.include({
      transport: 'ssh',
      name: 'h',
      address: 'h',
      port: undefined,
      user: undefined,
      hostKeyChecking: 'strict',
      connectTimeoutMs: 10_000,
      retries: 0,
      sshArgs: [],
      shell: '/bin/sh',
    });
    expect(become).to.equal(undefined);
  });

  it('let a variable beat a keyword, a keyword an option, an option the configuration', () => {
    const all = {
      variables: { ansible_user: 'variable' },
      keywords: { remote_user: 'keyword' },
      options: { user: 'option' },
      environment: { ANSIBLE_REMOTE_USER: 'environment' },
    };
    const users = [
      all,
      { ...all, variables: {} },
      { ...all, variables: {}, keywords: {} },
      { environment: all.environment },
    ].map((said) => settings(said).connection.user);
    expect(users).to.deep.equal(['variable', 'keyword', 'option', 'environment']);
  });

  const spellings: [variable: string, value: unknown, member: string, expected: unknown][] = [
    ['ansible_host', '10.0.0.1', 'address', '10.0.0.1'],
    ['ansible_ssh_host', '10.0.0.1', 'address', '10.0.0.1'],
    ['ansible_port', 2222, 'port', 2222],
    ['ansible_port', '2222', 'port', 2222],
    ['ansible_ssh_port', 2222, 'port', 2222],
    ['ansible_user', 'u', 'user', 'u'],
    ['ansible_ssh_user', 'u', 'user', 'u'],
    ['ansible_password', 's', 'password', 's'],
    ['ansible_ssh_pass', 's', 'password', 's'],
    ['ansible_ssh_password', 's', 'password', 's'],
    ['ansible_private_key_file', '/k', 'privateKeyFile', '/k'],
    ['ansible_ssh_private_key_file', '/k', 'privateKeyFile', '/k'],
    ['ansible_host_key_checking', false, 'hostKeyChecking', 'off'],
    ['ansible_ssh_host_key_checking', 'no', 'hostKeyChecking', 'off'],
    ['ansible_host_key_checking', 'accept-new', 'hostKeyChecking', 'accept-new'],
    ['ansible_ssh_common_args', '-o StrictHostKeyChecking=no', 'hostKeyChecking', 'off'],
    ['ansible_ssh_timeout', 3, 'connectTimeoutMs', 3000],
    ['ansible_ssh_retries', 4, 'retries', 4],
    ['ansible_shell_executable', '/bin/ash', 'shell', '/bin/ash'],
    ['ansible_ssh_executable', '/opt/ssh', 'sshExecutable', '/opt/ssh'],
    ['ansible_connection', 'local', 'transport', 'local'],
    ['ansible_connection', 'ansible.builtin.local', 'transport', 'local'],
    ['ansible_connection', 'smart', 'transport', 'ssh'],
    ['ansible_connection', 'paramiko_ssh', 'transport', 'ssh'],
    ['ansible_connection', 'openssh', 'transport', 'openssh'],
  ];
  for (const [variable, value, member, expected] of spellings) {
    it(`take ${member} from ${variable}: ${String(value)}`, () => {
      expect(settings({ variables: { [variable]: value } }).connection).to.have.property(
        member,
        expected,
      );
    });
  }

  it('put the SSH arguments one after the other, quotes respected', () => {
    const { sshArgs } = settings({
      variables: { ansible_ssh_common_args: '-o ProxyCommand="ssh -W %h:%p jump"' },
      options: { sshExtraArgs: '-4' },
      environment: { ANSIBLE_SSH_ARGS: '-C' },
    }).connection;
    expect(sshArgs).to.deep.equal(['-C', '-o', 'ProxyCommand=ssh -W %h:%p jump', '-4']);
  });

  it('accept new keys where the command line says so and nothing else does', () => {
    const options = { acceptNew: true };
    expect(settings({ options }).connection.hostKeyChecking).to.equal('accept-new');
    const variables = { ansible_host_key_checking: true };
    expect(settings({ options, variables }).connection.hostKeyChecking).to.equal('strict');
  });

  it('tell how to become another user', () => {
    const { become } = settings({ keywords: { become: true } });
    expect(become).to.deep.include({ method: 'sudo', user: 'root', password: undefined });
    const said = {
      ansible_become: 'yes',
      ansible_become_method: 'ansible.builtin.su',
      ansible_su_pass: 's',
      ansible_become_user: 'app',
      ansible_become_flags: '-x',
      ansible_become_exe: '/su',
    };
    expect(
      settings({ variables: said, options: { becomePassword: 'other' } }).become,
    ).to.deep.equal({
      method: 'su',
      user: 'app',
      password: 's',
      exe: '/su',
      flags: '-x',
    });
  });

  const becoming: [what: string, said: Said, expected: Readonly<Record<string, unknown>>][] = [
    ['sudo_user', { environment: { ANSIBLE_SUDO_USER: 's' } }, { user: 's' }],
    [
      'the user of the method before that of all methods',
      { environment: { ANSIBLE_SUDO_USER: 's', ANSIBLE_BECOME_USER: 'b' } },
      { user: 's' },
    ],
    [
      'the variable of the method before that of all methods',
      { variables: { ansible_become_user: 'b', ansible_sudo_user: 's' } },
      { user: 's' },
    ],
    ['an empty user as root', { variables: { ansible_become_user: '' } }, { user: 'root' }],
    [
      'empty flags as none',
      { variables: { ansible_become_flags: '' }, environment: { ANSIBLE_SUDO_FLAGS: '-E' } },
      { flags: '' },
    ],
    ['exe', { environment: { ANSIBLE_SUDO_EXE: '/s' } }, { exe: '/s' }],
    ['an empty exe as the default', { variables: { ansible_sudo_exe: '' } }, { exe: undefined }],
    ['a password', { environment: { ANSIBLE_BECOME_PASS: 'p' } }, { password: 'p' }],
    [
      'the password of the command line before that of the environment',
      { environment: { ANSIBLE_SUDO_PASS: 'p' }, options: { becomePassword: 'o' } },
      { password: 'o' },
    ],
    ['chdir', { environment: { ANSIBLE_SUDO_CHDIR: '/e' } }, { chdir: '/e' }],
    [
      'an empty chdir as none',
      { environment: { ANSIBLE_SUDO_CHDIR: '/e' }, variables: { ansible_sudo_chdir: '' } },
      { chdir: undefined },
    ],
    [
      'options of su',
      {
        keywords: { become_method: 'su' },
        environment: {
          ANSIBLE_SU_USER: 'u',
          ANSIBLE_SU_EXE: '/e',
          ANSIBLE_SU_FLAGS: '-f',
          ANSIBLE_SU_PASS: 'p',
          ANSIBLE_SU_PROMPT_L10N: 'Kennwort, Parole',
          ANSIBLE_SUDO_CHDIR: '/not/for/su',
        },
      },
      {
        user: 'u',
        exe: '/e',
        flags: '-f',
        password: 'p',
        prompts: ['Kennwort', 'Parole'],
        chdir: undefined,
      },
    ],
    [
      'prompts of su from a list',
      { keywords: { become_method: 'su' }, variables: { ansible_su_prompt_l10n: ['a, b', 'c'] } },
      { prompts: ['a, b', 'c'] },
    ],
  ];
  for (const [what, said, expected] of becoming) {
    it(`take ${what} for becoming another user`, () => {
      const keywords = { become: true, ...said.keywords };
      const { become } = settings({ ...said, keywords });
      const found = Object.keys(expected).map((key) => [key, become?.[key as keyof Become]]);
      expect(Object.fromEntries(found)).to.deep.equal(expected);
    });
  }

  it('let ansible_become: false beat become: true', () => {
    expect(
      settings({ variables: { ansible_become: false }, keywords: { become: true } }).become,
    ).to.equal(undefined);
  });

  it('become nobody where the login user is the one already', () => {
    const keywords = { become: true, become_user: userInfo().username, connection: 'local' };
    expect(settings({ keywords }).become).to.equal(undefined);
    expect(
      settings({ keywords: { become: true, become_user: 'app', remote_user: 'app' } }).become,
    ).to.equal(undefined);
  });

  for (const [what, said, message] of [
    [
      'port',
      { variables: { ansible_port: 'ssh' } },
      'site.yml:3:5  h: ansible_port "ssh" is not a number',
    ],
    [
      'connection',
      { keywords: { connection: 'docker' } },
      'site.yml:3:5  h: the connection "docker" is not supported',
    ],
    ['become', { keywords: { become: 'maybe' } }, 'h: become "maybe" is neither true nor false'],
    [
      'SSH arguments',
      { variables: { ansible_ssh_args: '-o "x' } },
      'the SSH arguments "-o "x" cannot be split',
    ],
  ] as const) {
    it(`refuse a ${what} that cannot be`, () => {
      expect(() => settings(said)).to.throw(InvalidInput, message);
    });
  }
});

function settings({ variables = {}, keywords = {}, options = {}, environment = {} }: Said) {
  const reader =
    (said: Readonly<Record<string, unknown>>) =>
    (name: string): Value | undefined =>
      Object.hasOwn(said, name) ? fromPlain(said[name]) : undefined;
  return connectionSettings({
    name: 'h',
    variable: reader(variables),
    keyword: reader(keywords),
    defaults: {
      options,
      settings: loadConfig({ directory: '/', home: '/', environment }).settings,
    },
    task: { file: 'site.yml', line: 3, column: 5 },
  });
}
