import {
  defineModule,
  type Plan,
  type Step,
  type StepOutput,
  TaskError,
  type Writer,
} from '../engine/module.ts';
import { type AptArgs, aptArgs } from './support/apt/args.ts';
import { hintFor } from './support/apt/hints.ts';
import { isUpdateOnly, planApt } from './support/apt/plan.ts';
import { type AptState, probeApt } from './support/apt/probe.ts';

const UPDATED = /^cache_update_time=(\d+)\n/m;

export const apt = defineModule<AptArgs, AptState>({
  name: 'apt',
  aliases: ['ansible.builtin.apt'],
  summary: 'Install, upgrade and remove packages of Debian and its relatives.',
  args: aptArgs,
  mutuallyExclusive: [['deb', 'name', 'upgrade']],
  examples: [
    {
      title: 'Install packages, with lists at most an hour old',
      args: { name: ['containerd', 'curl'], cache_valid_time: 3600 },
    },
    { title: 'Hold to a series of versions', args: { name: 'containerd=1.6.*', state: 'present' } },
    { title: 'Upgrade everything', args: { upgrade: 'dist', update_cache: true } },
    {
      title: 'Remove a package with its configuration',
      args: { name: 'nano', state: 'absent', purge: true },
    },
    { title: 'Install a package file', args: { deb: 'https://example.org/tool_1.0_arm64.deb' } },
  ],
  returns: {
    stdout: 'What apt-get printed.',
    stderr: 'Errors and warnings of apt-get.',
    cache_updated: 'Whether the package lists were fetched and are newer.',
    cache_update_time: 'When the package lists were last fetched, in seconds since the epoch.',
  },

  alwaysActs(args) {
    const updates = args.get('update_cache') === true || args.get('update-cache') === true;
    return args.get('clean') === true || (updates && !args.has('cache_valid_time'));
  },

  probe: probeApt,

  plan: planApt,

  async apply(host, plan, input) {
    const outputs: StepOutput[] = [];
    const [first, ...rest] = plan.steps;
    if (first === undefined) return outputs;
    const output = await perform(host, first);
    if (first.quiet !== true || UPDATED.test(output.stdout)) outputs.push(output);
    const remaining = plan.before.updateDue ? (await planAgain(host, input)).steps : rest;
    for (const step of remaining) {
      const printed = await perform(host, step);
      if (step.quiet !== true) outputs.push(printed);
    }
    return outputs;
  },

  report(state, input, plan, outputs) {
    const done = outputs.filter(({ stdout }) => !UPDATED.test(stdout));
    const text = done.length > 0 ? done : plan.before.rehearsals;
    const isChange = plan.steps.some(({ quiet }) => quiet !== true);
    const stdout = text.map((each) => each.stdout).join('');
    const stderr = text.map((each) => each.stderr).join('');
    const cache = cacheResult(state, plan, outputs);
    const changed =
      outputs.length === 0
        ? isChange
        : done.length > 0 || (isUpdateOnly(input) && cache.cache_updated);
    return {
      changed,
      ...(text.length > 0 && (isChange || input.upgrade !== 'no') && { stdout, stderr }),
      ...(input.upgrade !== 'no' && { msg: stdout }),
      ...(tellsOfCache(input) && cache),
    };
  },
});

async function perform(host: Writer, step: Step): Promise<StepOutput> {
  try {
    return await host.perform(step);
  } catch (error) {
    if (!(error instanceof TaskError)) throw error;
    const { message, result } = error;
    const hint = error.hint ?? hintFor(`${result['stdout']}\n${result['stderr']}`);
    throw new TaskError(message, { hint, result: { ...result }, cause: error });
  }
}

/** As in Ansible: where packages are installed, and where nothing but the lists is fetched. */
function tellsOfCache({ state, deb, upgrade, ...flags }: AptArgs): boolean {
  const isHousekeeping =
    flags.name === undefined && (flags.clean || flags.autoclean || flags.autoremove);
  return state !== 'absent' && deb === undefined && upgrade === 'no' && !isHousekeeping;
}

/** With lists just fetched, what is to be done may be more or less than what was planned. */
function planAgain(host: Writer, input: AptArgs): Promise<Plan<AptState>> {
  const settled = { ...input, update_cache: false };
  return probeApt(host, settled).then((state) => planApt(state, settled));
}

function cacheResult(
  { dpkg }: AptState,
  { before }: Plan<AptState>,
  outputs: readonly StepOutput[],
): { cache_updated: boolean; cache_update_time: number } {
  const [, time] = outputs.map(({ stdout }) => UPDATED.exec(stdout)).find((found) => found) ?? [];
  const reached = time === undefined ? dpkg.listsTime : Number(time);
  const predicted = outputs.length === 0 && before.updateDue;
  return {
    cache_updated: predicted || reached > before.dpkg.listsTime,
    cache_update_time: reached,
  };
}
