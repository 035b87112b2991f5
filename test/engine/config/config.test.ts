import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadConfig } from '../../../src/engine/config.ts';
import { InvalidInput } from '../../../src/shared/errors.ts';

describe('configuration', () => {
  let home: string;
  let directory: string;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'tsprov-config-'));
    directory = join(home, 'project');
    mkdirSync(directory);
  });
  afterEach(() => rmSync(home, { recursive: true }));

  function write(name: string, text: string): void {
    writeFileSync(join(home, name), text);
  }

  function load(environment: Record<string, string> = {}) {
    return loadConfig({ directory, home, environment });
  }

  it("has Ansible's defaults where nothing is said", () => {
    const { settings, file } = load();
    expect(file).to.equal(undefined);
    expect(settings).to.deep.include({
      forks: 5,
      timeoutSeconds: 10,
      transport: 'ssh',
      gathering: 'implicit',
      hostKeyChecking: true,
      becomeMethod: 'sudo',
      remoteUser: undefined,
      inventory: ['/etc/ansible/hosts'],
    });
  });

  it('is read from the first file found: tsprov.cfg before ansible.cfg, here before home', () => {
    write('.ansible.cfg', '[defaults]\nforks = 7\nremote_user = home\n');
    expect(load().settings.forks).to.equal(7);
    write('project/ansible.cfg', '[defaults]\nforks = 8\n');
    expect(load().settings).to.include({ forks: 8, remoteUser: undefined });
    write('project/tsprov.cfg', '[defaults]\nforks = 9\n');
    expect(load().settings.forks).to.equal(9);
    write('other.cfg', '[defaults]\nforks = 10\n');
    expect(load({ ANSIBLE_CONFIG: join(home, 'other.cfg') }).settings.forks).to.equal(10);
  });

  it('gives way to environment variables, TSPROV_ ones first', () => {
    write('project/ansible.cfg', '[defaults]\nforks = 8\n');
    expect(load({ ANSIBLE_FORKS: '11' }).settings.forks).to.equal(11);
    const config = load({ ANSIBLE_FORKS: '11', TSPROV_FORKS: '12' });
    expect(config.settings.forks).to.equal(12);
    expect(config.sources.forks).to.equal('env: TSPROV_FORKS');
  });

  it('says where each value comes from', () => {
    write('project/ansible.cfg', '# mine\n[defaults]\ngathering = smart\n');
    const { sources, file } = load();
    expect(file).to.equal(join(directory, 'ansible.cfg'));
    expect(sources.gathering).to.equal(`${file}:3`);
    expect(sources.forks).to.equal('default');
  });

  it("reads values as Python's configparser and Ansible type them", () => {
    write(
      'project/ansible.cfg',
      [
        '[defaults]',
        'Host_Key_Checking : no',
        'roles_path = roles:~/r:$ROOT/x:{{CWD}}/y ; comment',
        'inventory = hosts.ini,',
        '   more/',
        "remote_user = 'admin'",
        'some_foreign_key = 1',
        '[ssh_connection]',
        'ssh_args = -C -o ControlMaster=auto',
        'pipelining = True',
        '[tags]',
        'run = a, b',
      ].join('\n'),
    );
    const { settings } = loadConfig({ directory, home, environment: { ROOT: '/root' } });
    expect(settings.hostKeyChecking).to.equal(false);
    expect(settings.rolesPath[0]).to.equal(join(directory, 'roles'));
    expect(settings.rolesPath[2]).to.equal('/root/x');
    expect(settings.rolesPath[3]).to.equal(join(process.cwd(), 'y'));
    expect(settings.inventory).to.deep.equal([
      join(directory, 'hosts.ini'),
      join(directory, 'more'),
    ]);
    expect(settings.remoteUser).to.equal('admin');
    expect(settings.sshArgs).to.equal('-C -o ControlMaster=auto');
    expect(settings.runTags).to.deep.equal(['a', 'b']);
  });

  it('is not taken from a directory that everybody may write to', () => {
    write('project/ansible.cfg', '[defaults]\nforks = 8\n');
    chmodSync(directory, 0o777);
    const { settings, warnings } = load();
    expect(settings.forks).to.equal(5);
    expect(warnings[0]?.message).to.include('everybody may write to its directory');
  });

  it('reports every value of a wrong type with its place', () => {
    write(
      'project/ansible.cfg',
      '[defaults]\nforks = many\ngathering = smrt\n[diff]\nalways = maybe\n',
    );
    try {
      load({ ANSIBLE_TIMEOUT: 'x' });
      expect.fail('nothing was refused');
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      const lines = error.message.split('\n').map((line) => line.replace(`${directory}/`, ''));
      expect(lines).to.have.members([
        'ansible.cfg:2:1  defaults.forks: "many" is not a whole number',
        'ansible.cfg:3:1  defaults.gathering: "smrt" is not a choice (did you mean "smart"?)',
        'ansible.cfg:5:1  diff.always: "maybe" is neither true nor false',
        'ANSIBLE_TIMEOUT: "x" is not a whole number',
      ]);
    }
  });

  it('reports lines that are not settings', () => {
    write('project/ansible.cfg', 'early = 1\n[defaults]\nnonsense\nforks = 1\nforks = 2\n');
    expect(() => load()).to.throw(
      InvalidInput,
      /ansible.cfg:1:1 {2}"early = 1" stands before[\s\S]*ansible.cfg:3:1 {2}"nonsense" is not a setting[\s\S]*ansible.cfg:5:1 {2}defaults.forks is set twice/,
    );
  });
});
