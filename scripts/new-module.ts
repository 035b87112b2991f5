/** Starts a module: `npm run new:module my_module`. */
import { existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [name = ''] = process.argv.slice(2);
if (!/^[a-z][a-z0-9_]*$/.test(name)) {
  process.stderr.write(
    'usage: npm run new:module NAME, where NAME is written as in playbooks: my_module\n',
  );
  process.exitCode = 2;
} else {
  const kebab = name.replaceAll('_', '-');
  create(`src/modules/${kebab}.ts`, moduleText(name));
  create(`test/modules/cases/${kebab}.yaml`, casesText(name));
  process.stdout.write(`Next: write them, then \`npm run gen\` and \`npx mocha test/modules/conformance.test.ts -g ${name}\`.
CONTRIBUTING.md has the five steps.\n`);
}

function create(path: string, text: string): void {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  if (existsSync(file)) throw new Error(`${path} exists already`);
  writeFileSync(file, text);
  process.stdout.write(`wrote ${path}\n`);
}

function moduleText(module: string): string {
  const camel = module.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return `import { change, defineModule, run } from '../engine/module.ts';
import { choice, object, string } from '../shared/schema.ts';
import { sh } from '../shared/shell.ts';

interface State {
  readonly present: boolean;
}

export const ${camel} = defineModule({
  name: '${module}',
  aliases: ['ansible.builtin.${module}'],
  summary: 'Say in one sentence what is kept in which state.',

  args: object({
    name: string('What to manage.'),
    state: choice(['present', 'absent'], 'Whether it should be there.', { default: 'present' }),
  }),

  examples: [{ title: 'Have it', args: { name: 'example' } }],

  returns: { name: 'What was managed.' },

  async probe(host, { name }): Promise<State> {
    return { present: (await host.read(sh\`test -e \${name}\`)).code === 0 };
  },

  plan(now, { name, state }) {
    const want: State = { present: state === 'present' };
    return change(now, want, [
      want.present && !now.present && run(sh\`touch \${name}\`),
      !want.present && now.present && run(sh\`rm \${name}\`),
    ]);
  },

  report: (_state, { name }) => ({ name }),
});
`;
}

function casesText(module: string): string {
  return `- name: does nothing when ${module} is right already
  args: { name: /x }
  host:
    commands: [{ match: test -e /x }]
  expect:
    changed: false
    steps: []
    result: { name: /x }

- name: makes what is absent
  args: { name: /x }
  host:
    commands: [{ match: test -e /x, code: 1 }]
  expect:
    steps: [touch /x]
  after:
    commands: [{ match: test -e /x }]

- name: removes what is there
  args: { name: /x, state: absent }
  host:
    commands: [{ match: test -e /x }]
  expect:
    steps: [rm /x]
  after:
    commands: [{ match: test -e /x, code: 1 }]

- name: says in a check run what it would do
  args: { name: /x }
  check: true
  host:
    commands: [{ match: test -e /x, code: 1 }]
  expect:
    changed: true
    result: { name: /x }

- name: refuses a state that it does not know
  args: { name: /x, state: presnt }
  expect:
    error: '"presnt" is not one of present, absent'
`;
}
