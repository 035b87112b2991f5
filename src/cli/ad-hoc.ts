/** A playbook of one task, made from a command line. */
import { join } from 'node:path';
import { loadTasks } from '../engine/playbook/load-tasks.ts';
import type { Play } from '../engine/playbook/model.ts';
import { Source } from '../engine/playbook/source.ts';
import { validateTasks } from '../engine/playbook/validate-tasks.ts';
import type { LoadedPlaybook } from '../engine/run-playbook.ts';
import { parseYaml } from '../engine/yaml.ts';
import { formatProblem } from '../shared/errors.ts';
import { UsageError } from './option-error.ts';
import type { Setting } from './run-services.ts';

export interface AdHoc {
  readonly pattern: string;
  readonly module: string;
  /** Free-form text, `name=value` words, or a mapping as YAML or JSON. */
  readonly args: string;
  readonly taskTimeoutSeconds?: number | undefined;
}

/** What the command line is called where a file would be named. */
const FILE = '<ad hoc>';

/** The playbook. Throws UsageError where there is no such module or its arguments are wrong. */
export async function adHocPlaybook(setting: Setting, adHoc: AdHoc): Promise<LoadedPlaybook> {
  const play = playOn(adHoc.pattern);
  const task = {
    [adHoc.module]: argumentsOf(adHoc.args),
    ...(adHoc.taskTimeoutSeconds !== undefined && { timeout: adHoc.taskTimeoutSeconds }),
  };
  const { root } = parseYaml(JSON.stringify([task]), { file: FILE, trusted: true });
  const source = new Source(setting.loader);
  const tasks = loadTasks(source, root, {
    parent: play,
    file: join(play.playbookDir, FILE),
    playbookDir: play.playbookDir,
    handlers: false,
    imports: [],
    variables: setting.extraVars,
    roles: { addRole: () => undefined, addHandlers: () => undefined },
  });
  await validateTasks(source, tasks, setting.catalogue);
  if (source.problems.length > 0) {
    const messages = source.problems.map((problem) =>
      formatProblem({ ...problem, place: undefined }),
    );
    throw new UsageError(messages.join('\n'));
  }
  if (tasks.length === 0) throw new UsageError('no module is named', 'give one after -m');
  return {
    file: FILE,
    plays: [{ ...play, tasks: tasks.map((each) => ({ ...each, parent: play })) }],
  };
}

function playOn(pattern: string): Play {
  return {
    kind: 'play',
    parent: undefined,
    role: undefined,
    name: 'Ad-Hoc',
    hosts: pattern,
    keywords: new Map([['gather_facts', false]]),
    vars: new Map(),
    varsFiles: [],
    prompts: [],
    preTasks: [],
    roles: [],
    tasks: [],
    postTasks: [],
    handlers: [],
    staticRoles: [],
    playbookDir: process.cwd(),
    position: { file: FILE, line: 1, column: 1 },
  };
}

/** A mapping where the text is one, else the text. */
function argumentsOf(text: string): unknown {
  if (!/^\s*\{(?![{%#])/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
