import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { CommandResult } from '../support/run-command.ts';
import { runTsprov } from '../support/tsprov.ts';

const SITE = `- name: First
  hosts: all
  gather_facts: false
  tasks:
    - name: say
      debug: {msg: hello}
    - name: each
      command: echo {{ item.n }}
      loop: [{n: 1}, {n: 2}]
      loop_control: {label: "no {{ item.n }}"}
      when: item.n == 2
    - name: bring in
      include_tasks: more.yaml
      loop: [1]
    - name: fail and go on
      fail: {msg: bad luck}
      ignore_errors: true
    - name: keep quiet
      command: echo s3cret
      no_log: true
    - name: write
      copy: {content: "new\\n", dest: FOLDER/file, mode: "0644"}
`;

/** As ansible-playbook 2.19 prints it. */
const LINES = `
PLAY [First] *******************************************************************

TASK [say] *********************************************************************
ok: [here] => {
    "msg": "hello"
}

TASK [each] ********************************************************************
skipping: [here] => (item=no 1)${' '}
changed: [here] => (item=no 2)

TASK [bring in] ****************************************************************
included: FOLDER/more.yaml for here => (item=1)

TASK [brought in] **************************************************************
ok: [here]

TASK [fail and go on] **********************************************************
[ERROR]: Task failed: Action failed: bad luck
Origin: FOLDER/site.yaml:15:7

13       include_tasks: more.yaml
14       loop: [1]
15     - name: fail and go on
         ^ column 7

fatal: [here]: FAILED! => {"changed": false, "msg": "bad luck"}
...ignoring

TASK [keep quiet] **************************************************************
changed: [here]

TASK [write] *******************************************************************
--- before
+++ after: FOLDER/file
@@ -0,0 +1 @@
+new

changed: [here]

PLAY RECAP *********************************************************************
here                       : ok=7    changed=3    unreachable=0    failed=0    skipped=0    rescued=0    ignored=1   

`;

describe('the output of a play', () => {
  let folder = '';

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tsprov-test-'));
    writeFileSync(join(folder, 'site.yaml'), SITE.replaceAll('FOLDER', folder));
    writeFileSync(join(folder, 'more.yaml'), '[{name: brought in, ping: }]');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const play = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<CommandResult> => {
    const given = ['play', 'site.yaml', '-i', 'here,', '-c', 'local', ...args];
    return runTsprov(given, { cwd: folder, env: { ...process.env, NO_COLOR: '1', ...env } });
  };

  it('is the one that users of Ansible know', async () => {
    const { stdout } = await play(['--diff']);
    expect(stdout).to.equal(LINES.replaceAll('FOLDER', folder));
  });

  it('names the file and shows results with -vv, but no secret', async () => {
    const { stdout } = await play(['-vv']);
    expect(stdout).to.include('PLAYBOOK: site.yaml ***');
    expect(stdout).to.include(`task path: ${folder}/site.yaml:5`);
    expect(stdout).to.match(/changed: \[here\] => \(item=no 2\) => \{.*"stdout": "2"/);
    expect(stdout).to.include('"censored": ');
    expect(stdout).to.not.include('s3cret');
  });

  it('is YAML, and leaves out hosts that are fine, where the configuration says so', async () => {
    const { stdout } = await play(['-v'], {
      ANSIBLE_CALLBACK_RESULT_FORMAT: 'yaml',
      ANSIBLE_DISPLAY_OK_HOSTS: 'false',
      ANSIBLE_CHECK_MODE_MARKERS: 'true',
    });
    expect(stdout).to.include(
      'fatal: [here]: FAILED! => \n    changed: false\n    msg: bad luck\n',
    );
    expect(stdout).to.include('    stdout_lines: <omitted>\n');
    expect(stdout).to.not.include('TASK [say]');
  });

  it('is one document with --output json', async () => {
    const { stdout } = await play(['--output', 'json']);
    const { plays, stats } = JSON.parse(stdout);
    expect(stats.here).to.deep.include({ ok: 7, changed: 3, failures: 0, ignored: 1 });
    expect(plays[0].play).to.include({ name: 'First' });
    expect(plays[0].tasks[0].task.name).to.equal('say');
    expect(plays[0].tasks[0].hosts.here).to.include({ action: 'debug', msg: 'hello' });
    expect(stdout).to.not.include('s3cret');
  });

  it('is one test case for each task and host with --output junit', async () => {
    const { stdout } = await play(['--output', 'junit'], { JUNIT_FAIL_ON_IGNORE: 'true' });
    expect(stdout).to.match(/^<\?xml.*\n<testsuites tests="\d+" failures="1" errors="0"/);
    expect(stdout).to.include('name="[here] First: say"');
    expect(stdout).to.include('<failure message="bad luck"');
    expect(stdout).to.not.include('s3cret');
  });

  it('may be a JUnit report beside the lines', async () => {
    const reports = join(folder, 'reports');
    const env = { ANSIBLE_CALLBACKS_ENABLED: 'junit', JUNIT_OUTPUT_DIR: reports };
    expect((await play([], env)).stdout).to.include('PLAY RECAP');
    const [file = ''] = readdirSync(reports);
    expect(file).to.match(/^site-.*\.xml$/);
    expect(readFileSync(join(reports, file), 'utf8')).to.include('<testsuite name="site"');
  });

  it('goes to the log of log_path too, without colours and secrets', async () => {
    const log = join(folder, 'log');
    const { stdout } = await play(['-v'], {
      ANSIBLE_LOG_PATH: log,
      NO_COLOR: '',
      FORCE_COLOR: '1',
      ANSIBLE_HOST_PATTERN_MISMATCH: 'warning',
    });
    expect(stdout).to.include('\u001b[');
    const lines = readFileSync(log, 'utf8').split('\n');
    const head = String.raw`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} p=\d+ u=\S+ n=tsprov INFO\| `;
    expect(lines[0]).to.match(new RegExp(`${head}No config file found`));
    expect(lines.find((line) => line.includes('PLAY RECAP'))).to.match(new RegExp(head));
    expect(lines.join('\n')).to.not.include('\u001b').and.not.include('s3cret');
  });

  it('says where the log cannot be written, and goes on', async () => {
    const { stdout, stderr } = await play([], { ANSIBLE_LOG_PATH: join(folder, 'no/where') });
    expect(stderr).to.match(/\[WARNING\]: nothing is logged, .*no\/where/);
    expect(stdout).to.include('PLAY RECAP');
  });

  it('leaves stdout to results where verbose_to_stderr is set', async () => {
    const { stdout, stderr } = await play(['-vv'], { ANSIBLE_VERBOSE_TO_STDERR: 'true' });
    expect(stderr).to.equal('No config file found; using defaults\n1 plays in site.yaml\n');
    expect(stdout).to.include('PLAYBOOK: site.yaml').and.not.include('plays in');
  });

  it('tells each warning once, on stderr', async () => {
    writeFileSync(
      join(folder, 'site.yaml'),
      '- hosts: all,nosuch\n  gather_facts: false\n  vars: {a: 1, a: 2}\n  tasks: [{ping: }]\n- hosts: nosuch\n',
    );
    const { stderr } = await play([]);
    const warnings = stderr.split('\n').filter((line) => line.startsWith('[WARNING]: '));
    expect(warnings.filter((line) => line.includes('"nosuch"'))).to.have.length(1);
    expect(warnings.filter((line) => line.includes('site.yaml:3'))).to.have.length(1);
  });

  it('warns of settings that ask for what does not exist', async () => {
    const lines = [
      'strategy = debug',
      'stdout_callback = dense',
      'callbacks_enabled = ansible.posix.profile_tasks, timer',
      'retry_files_enabled = true',
      'error_on_undefined_vars = false',
      'private_role_vars = true',
      'playbook_vars_root = all',
    ];
    writeFileSync(join(folder, 'ansible.cfg'), ['[defaults]', ...lines, ''].join('\n'));
    writeFileSync(join(folder, 'site.yaml'), '- {hosts: all, gather_facts: false}\n');
    const { stderr } = await play([]);
    const named = [...stderr.matchAll(/^\[WARNING\]: (\w+)(?:: .*("\w+"))?/gm)];
    expect(
      named.map(([, name, value]) => [name, ...(value ? [value] : [])].join(' ')),
    ).to.deep.equal([
      'strategy "debug"',
      'stdout_callback "dense"',
      'callbacks_enabled "timer"',
      'retry_files_enabled',
      'error_on_undefined_vars',
      'private_role_vars',
      'playbook_vars_root',
    ]);
  });
});

describe('the output of one module', () => {
  const run = (args: readonly string[]) =>
    runTsprov(['run', 'here', '-i', 'here,', '-c', 'local', ...args]);

  it('is what a command printed', async () => {
    const { stdout } = await run(['-a', 'echo hi']);
    expect(stdout).to.equal('here | CHANGED | rc=0 >>\nhi\n');
  });

  it('is the result of any other', async () => {
    const { stdout } = await run(['-m', 'ping']);
    expect(stdout).to.equal('here | SUCCESS => {\n    "changed": false,\n    "ping": "pong"\n}\n');
  });

  it('is one line with -o', async () => {
    const { stdout } = await run(['-o', '-m', 'shell', '-a', 'echo out; echo err >&2; exit 3']);
    expect(stdout).to.equal('here | FAILED | rc=3 | (stdout) out (stderr) err\n');
  });
});
