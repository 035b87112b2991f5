import { change, defineModule, type Effect, run, type Step, TaskError } from '../engine/module.ts';
import { choice, object, string } from '../shared/schema.ts';
import { sh } from '../shared/shell.ts';
import {
  type Edits,
  folded,
  LOAD_DIRECTORY,
  loadsModule,
  OPTIONS_DIRECTORY,
  parametersOf,
  readConfigFiles,
  withFile,
  withoutModule,
} from './support/module-files.ts';
import type { TextFile } from './support/text-file.ts';

interface Args {
  readonly name: string;
  readonly params: string;
  readonly state: 'present' | 'absent';
  readonly persistent: 'disabled' | 'present' | 'absent';
}

interface State {
  readonly loaded: boolean;
  /** What modprobe has against it, or nothing; a module that is loaded is not asked about. */
  readonly objection: string;
  readonly loadFiles: readonly TextFile[];
  readonly optionFiles: readonly TextFile[];
}

export const modprobe = defineModule({
  name: 'modprobe',
  aliases: ['community.general.modprobe'],
  summary: 'Keep a kernel module loaded or unloaded, now and at boot.',

  args: object({
    name: string('Kernel module.'),
    params: string('Its parameters, separated by blanks.', { default: '' }),
    state: choice(['present', 'absent'], 'Whether it is loaded.', { default: 'present' }),
    persistent: choice(
      ['disabled', 'present', 'absent'],
      'Whether it is loaded at boot, with `params`; `disabled` leaves that alone.',
      { default: 'disabled' },
    ),
  }),

  examples: [
    {
      title: 'Load a module now and at boot',
      args: { name: 'br_netfilter', persistent: 'present' },
    },
    {
      title: 'Load a module with a parameter',
      args: { name: 'dummy', params: 'numdummies=2', persistent: 'present' },
    },
  ],

  returns: {
    name: 'The module.',
    params: 'The argument `params`.',
    state: 'The argument `state`.',
  },

  async probe(host, { name, persistent }: Args): Promise<State> {
    if (!/^[^\s/-][^\s/]*$/.test(name))
      throw new TaskError(`"${name}" is not the name of a kernel module`);
    const [files, answer] = await Promise.all([
      persistent === 'disabled' ? [[], []] : readFiles(host),
      host.read(lookUp(name)),
    ]);
    const [loadFiles = [], optionFiles = []] = files;
    const isLoaded = answer.stdout.trim() === 'loaded';
    // A package that an earlier task would install may bring the module.
    const mayCome = host.predictedAll('package').some(({ installed }) => installed);
    const objection = isLoaded || answer.code === 0 || mayCome ? '' : answer.stderr.trim();
    const loaded = host.predicted('kernel-module', folded(name))?.loaded ?? isLoaded;
    return { loaded, objection, loadFiles, optionFiles };
  },

  plan(now, args) {
    const { name, params, state } = args;
    const loaded = state === 'present';
    if (loaded && !now.loaded && now.objection !== '') {
      throw new TaskError(now.objection, {
        hint: 'install the package of the kernel that has it; after an upgrade of the kernel, restart first',
      });
    }
    const load = loaded ? sh`modprobe ${[name, ...words(params)]}` : sh`modprobe -r ${name}`;
    const verb = loaded ? 'load' : 'unload';
    const atBoot = planBoot(now, args);
    const steps: (Step | false)[] = [
      now.loaded !== loaded && run(load, { failure: `cannot ${verb} the kernel module ${name}` }),
      ...atBoot.steps,
    ];
    const effects = [...loadEffect(now, loaded, name), ...atBoot.effects];
    const after = { ...now, loaded, loadFiles: atBoot.loadFiles, optionFiles: atBoot.optionFiles };
    return change(now, after, steps, { effects });
  },

  report(_reached, { name, params, state }) {
    return { name, params, state };
  },
});

function readFiles(host: Parameters<typeof readConfigFiles>[0]) {
  return Promise.all([
    readConfigFiles(host, LOAD_DIRECTORY),
    readConfigFiles(host, OPTIONS_DIRECTORY),
  ]);
}

/** Prints `loaded` for a module that is loaded or built in; else tells by its exit code whether modprobe knows it. */
function lookUp(name: string) {
  const folder = folded(name);
  return sh`if grep -q ${`^${folder} `} /proc/modules 2>/dev/null; then echo loaded
elif cat "/lib/modules/$(uname -r)/modules.builtin" 2>/dev/null | tr - _ | grep -q ${`/${folder}\\.ko`}; then echo loaded
else modprobe -n -- ${name}; fi`;
}

function loadEffect(now: State, loaded: boolean, name: string): Effect[] {
  return now.loaded === loaded ? [] : [{ kind: 'kernel-module', name: folded(name), loaded }];
}

type BootPlan = Pick<Edits, 'steps' | 'effects'> & Pick<State, 'loadFiles' | 'optionFiles'>;

function planBoot(now: State, { name, params, persistent }: Args): BootPlan {
  const { loadFiles, optionFiles } = now;
  if (persistent === 'disabled') return { loadFiles, optionFiles, steps: [], effects: [] };
  if (persistent === 'absent') {
    return join(withoutModule(loadFiles, name), withoutModule(optionFiles, name));
  }
  const isLoadedAtBoot = loadFiles.some(({ text }) => loadsModule(text, name));
  const load = isLoadedAtBoot
    ? unchanged(loadFiles)
    : withFile(loadFiles, `${LOAD_DIRECTORY}/${name}.conf`, `${name}\n`);
  return join(load, planParameters(optionFiles, name, words(params)));
}

function planParameters(
  files: readonly TextFile[],
  name: string,
  wanted: readonly string[],
): Edits {
  const present = new Set(files.flatMap(({ text }) => parametersOf(text, name)));
  const isSame = present.size === wanted.length && wanted.every((each) => present.has(each));
  if (isSame) return unchanged(files);
  if (wanted.length === 0) return withoutModule(files, name);
  const path = `${OPTIONS_DIRECTORY}/${name}.conf`;
  const others = withoutModule(
    files.filter((file) => file.path !== path),
    name,
  );
  const own = files.filter((file) => file.path === path);
  const lines = wanted.map((each) => `options ${name} ${each}\n`);
  const written = withFile(own, path, lines.join(''));
  return {
    files: [...others.files, ...written.files],
    steps: [...others.steps, ...written.steps],
    effects: [...others.effects, ...written.effects],
  };
}

function unchanged(files: readonly TextFile[]): Edits {
  return { files, steps: [], effects: [] };
}

function join(load: Edits, options: Edits): BootPlan {
  return {
    loadFiles: load.files,
    optionFiles: options.files,
    steps: [...load.steps, ...options.steps],
    effects: [...load.effects, ...options.effects],
  };
}

function words(text: string): string[] {
  if (/(?:^|\s)-/.test(text))
    throw new TaskError(`"${text}" are not parameters of a kernel module`);
  return text.split(/\s+/).filter((word) => word !== '');
}
