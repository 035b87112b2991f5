import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { quote } from '../../src/shared/shell.ts';
import { makeWorld, type World } from '../support/play-here.ts';
import { tsprovProgram } from '../support/tsprov.ts';

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** A question and what is typed when it is there. */
type Answers = readonly (readonly [question: string, keys: string])[];

const CTRL_C = '\x03';
const CTRL_D = '\x04';

const PLAY = `- hosts: localhost
  gather_facts: false
  tasks:
    - {name: one, debug: {msg: first}}
    - {name: two, debug: {msg: second}}
`;
const PAUSE = `- hosts: localhost
  gather_facts: false
  tasks:
    - {name: asks, pause: {prompt: say}, register: answer}
    - {name: tells, debug: {msg: "heard {{ answer.user_input }}."}}
`;
const PROMPTS = `- hosts: "{{ place }}"
  gather_facts: false
  vars: {what: machine}
  vars_prompt:
    - {name: place, prompt: "Which {{ what }}", default: localhost, private: false}
    - {name: secret, confirm: true}
    - {name: hash, prompt: Password, encrypt: sha512_crypt, salt: abcdefgh}
    - {name: template, private: no}
    - {name: text, private: no, unsafe: true}
  tasks:
    - {name: tells, debug: {msg: "{{ [place, secret, hash, template, text] }}"}}
`;
const DEFAULTS = `- hosts: localhost
  gather_facts: false
  vars_prompt: [{name: a, default: 1}, {name: b}]
  tasks: [{name: tells, debug: {msg: "{{ a ~ b }}"}}]
`;
const STEP = 'Perform task: TASK: one (N)o/(y)es/(c)ontinue: ';

describe('questions', () => {
  let world: World;
  before(() => {
    world = makeWorld({
      'play.yaml': PLAY,
      'pause.yaml': PAUSE,
      'prompts.yaml': PROMPTS,
      'defaults.yaml': DEFAULTS,
      plain: 'x\n',
    });
  });
  after(() => world.remove());

  const local = ['-i', 'localhost,', '-c', 'local'];
  const play = (...flags: string[]) => ['play', ...local, ...flags, 'play.yaml'];

  /** Without a terminal: no process of the test has one that it controls. */
  const piped = async (args: readonly string[], input: string): Promise<Ended> => {
    const program = await tsprovProgram();
    const child = spawn('setsid', ['--wait', process.execPath, program, ...args], {
      cwd: world.directory,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin.on('error', () => undefined); // Nobody has to read the answers.
    child.stdin.end(input);
    return await ended(child);
  };

  /** At a terminal: every answer is typed when its question has appeared. */
  const typed = async (args: readonly string[], answers: Answers): Promise<Ended> => {
    const program = await tsprovProgram();
    const line = [process.execPath, program, ...args].map(quote).join(' ');
    const child = spawn('script', ['-qec', line, '/dev/null'], { cwd: world.directory });
    const left = [...answers];
    let seen = '';
    child.stdout.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
      const [question, keys] = left[0] ?? [];
      if (question === undefined || keys === undefined || !seen.includes(question)) return;
      left.shift();
      seen = '';
      child.stdin.write(keys);
    });
    return await ended(child);
  };

  const PIPED: readonly (readonly [string, string[], string, number, RegExp])[] = [
    ['--step takes a line for each task', play('--step'), 'y\nn\n', 0, /first[\s\S]*ok=1 /],
    ['--step goes on', play('--step'), 'c\n', 0, /first[\s\S]*second[\s\S]*ok=2 /],
    [
      '--step ends with the input',
      play('--step'),
      'y\n',
      2,
      // Two streams: in either order.
      /^(?=[\s\S]*first)[\s\S]*two .*not answered: the input/,
    ],
    [
      '--step says that nobody answers',
      play('--step'),
      '',
      2,
      /"Perform task: TASK: one .*not answered/,
    ],
    ['-k takes a line', play('-k'), 'pw\n', 0, /SSH password: /],
    ['-K takes the next', play('-k', '-K'), 'pw\nother\n', 0, /BECOME password\[defaults/],
    ['-K says that nobody answers', play('-K'), '', 1, /"BECOME password:" was not answered/],
    ['a vault password is a line', play('--ask-vault-pass'), 'pw\n', 0, /ok=2 /],
    ['a vault password is wanted', play('--ask-vault-pass'), '', 1, /"Vault password:" was not/],
    [
      'pause does not wait',
      ['play', ...local, 'pause.yaml'],
      'hi\n',
      0,
      /^(?=[\s\S]*not interactive)[\s\S]*heard \./,
    ],
    [
      'vault encrypt asks twice',
      ['vault', 'encrypt', '--output', '-', 'plain'],
      'a\na\n',
      0,
      /VAULT;/,
    ],
    [
      'vault encrypt compares',
      ['vault', 'encrypt', '--output', '-', 'plain'],
      'a\nb\n',
      1,
      /differ/,
    ],
    [
      'vars_prompt is not answered',
      ['play', ...local, 'play.yaml', 'defaults.yaml'],
      'x\ny\n',
      4,
      /^(?![\s\S]*PLAY)[\s\S]*defaults\.yaml:3:40 {2}the variable "b" is asked for, and there is no terminal \(give it with -e b=VALUE, or a default\)/,
    ],
    [
      'vars_prompt has its default',
      ['play', ...local, '-e', 'b=given', 'defaults.yaml'],
      'x\n',
      0,
      /^(?=[\s\S]*"a" has its default)[\s\S]*"1given"/,
    ],
    ['data is no password', ['vault', 'encrypt'], 'data\ndata\n', 1, /there is no terminal/],
    ['a string is no password', ['vault', 'encrypt_string'], 'data\n', 1, /there is no terminal/],
  ];
  for (const [what, args, input, code, shown] of PIPED) {
    it(`through a pipe: ${what}`, async () => {
      const end = await piped(args, input);
      expect(end.output).to.match(shown);
      expect(end.code, end.output).to.equal(code);
    });
  }

  const asks = ['play', ...local, 'pause.yaml'];
  const encrypt = ['vault', 'encrypt', '--output', '-', 'plain'];
  const TYPED: readonly (readonly [string, readonly string[], Answers, number, RegExp])[] = [
    [
      '--step',
      play('--step'),
      [
        [STEP, 'y\r'],
        ['TASK: two', 'c\r'],
      ],
      0,
      /first[\s\S]*second/,
    ],
    ['--step, Ctrl-D', play('--step'), [[STEP, CTRL_D]], 2, /not answered: the input has ended/],
    ['--step, Ctrl-C', play('--step'), [[STEP, CTRL_C]], 99, /interrupted[\s\S]*RECAP/],
    ['-K', play('-K'), [['BECOME password: ', 'hidden\r']], 0, /^(?!.*hidden)[\s\S]*ok=2 /],
    ['-K, Ctrl-D', play('-K'), [['BECOME password: ', CTRL_D]], 1, /not answered/],
    ['-K, Ctrl-C', play('-K'), [['BECOME password: ', CTRL_C]], 99, /BECOME/],
    [
      '--ask-vault-pass, Ctrl-C',
      play('--ask-vault-pass'),
      [['Vault password: ', CTRL_C]],
      99,
      /Vault/,
    ],
    ['pause', asks, [['say:', 'yes\r']], 0, /heard yes\./],
    ['pause, Ctrl-D', asks, [['say:', CTRL_D]], 2, /not answered/],
    ['pause, Ctrl-C', asks, [['say:', CTRL_C]], 99, /interrupted/],
    [
      'vars_prompt',
      ['play', ...local, 'prompts.yaml'],
      [
        ['Which machine [localhost]: ', '\r'],
        ['secret: ', 'one\r'],
        ['confirm secret: ', 'other\r'],
        ['differ', 'hidden\r'],
        ['confirm secret: ', 'hidden\r'],
        ['Password: ', 'pw\r'],
        ['template: ', '{{ 1 + 1 }}\r'],
        ['text: ', '{{ 1 + 1 }}\r'],
      ],
      0,
      /"localhost",\s+"hidden",\s+"\$6\$rounds=656000\$abcdefgh\$pLncf7lj[^"]+",\s+2,\s+"{{ 1 \+ 1 }}"/,
    ],
    [
      'vars_prompt, Ctrl-D',
      ['play', ...local, 'prompts.yaml'],
      [['Which machine', CTRL_D]],
      4,
      /prompts\.yaml:5:7 {2}"Which machine .*not answered/,
    ],
    ['vars_prompt, Ctrl-C', ['play', ...local, 'prompts.yaml'], [['Which', CTRL_C]], 99, /Which/],
    [
      'vault encrypt',
      encrypt,
      [
        ['New Vault password: ', 'a\r'],
        ['Confirm', 'a\r'],
      ],
      0,
      /VAULT;/,
    ],
    ['vault encrypt, Ctrl-D', encrypt, [['New Vault password: ', CTRL_D]], 1, /not answered/],
    ['vault encrypt, Ctrl-C', encrypt, [['New Vault password: ', CTRL_C]], 99, /New Vault/],
  ];
  for (const [what, args, answers, code, shown] of TYPED) {
    it(`at a terminal: ${what}`, async () => {
      const end = await typed(args, answers);
      expect(end.output).to.match(shown);
      expect(end.code, end.output).to.equal(code);
    });
  }

  it('are asked at the terminal when standard input is something else', async () => {
    writeFileSync(world.path('line'), `exec "$@" < play.yaml\n`);
    const program = await tsprovProgram();
    const line = ['sh', 'line', process.execPath, program, ...play('-K')].map(quote).join(' ');
    const child = spawn('script', ['-qec', line, '/dev/null'], { cwd: world.directory });
    child.stdout.once('data', () => child.stdin.write('pw\r'));
    expect(await ended(child)).to.deep.include({ code: 0 });
  });
});

function ended(child: ReturnType<typeof spawn>): Promise<Ended> {
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, output }));
  });
}
