import { defineModule, type Reader, TaskError } from '../engine/module.ts';
import { boolean, type Infer, object } from '../shared/schema.ts';
import { sh } from '../shared/shell.ts';
import { wordsOf } from './support/boot/boot-line.ts';
import {
  type BootFacts,
  firmwareLine,
  isRaspberryPi,
  knownLoader,
  readBootFacts,
} from './support/boot/loader.ts';
import { type CgroupFacts, type CgroupRow, judgeCgroups } from './support/cgroups.ts';

const ROOT = '/sys/fs/cgroup';
const GRUB_FILES = sh`/etc/default/grub /etc/default/grub.d/*.cfg`;

const args = object({
  required: boolean('Fail where one is missing or disabled.', { default: false }),
});

/** What the module tells. */
interface Cgroups {
  readonly version: CgroupFacts['version'];
  readonly controllers: readonly string[];
  readonly rows: readonly CgroupRow[];
  readonly failures: readonly string[];
  readonly passed: boolean;
  readonly loader: string | null;
}

export const cgroupsFacts = defineModule<Infer<typeof args>, Cgroups>({
  name: 'cgroups_facts',
  aliases: [],
  summary:
    "Tell which control groups the kernel has, and whether a cluster's node can work with them.",

  args,

  examples: [
    { title: 'Look', args: {} },
    { title: 'Fail where the kernel does not account for memory', args: { required: true } },
  ],

  returns: {
    ansible_facts:
      '`cgroups`: `version` (v1 or v2), `controllers`, `rows` (the table of `/proc/cgroups` with a verdict for each), `failures` (sentences), `passed`, `loader` (`firmware`, `grub`, or null where what boots the machine is not known).',
  },

  async probe(host) {
    const [{ facts, grubFiles }, boot] = await Promise.all([
      readCgroups(host),
      readBootFacts(host),
    ]);
    const rows = judgeCgroups(facts);
    const failures = rows
      .filter(({ passed }) => !passed)
      .map((row) => explain(row, boot, grubFiles));
    return {
      version: facts.version,
      controllers: wordsOf(facts.controllers),
      rows,
      failures,
      passed: failures.length === 0,
      loader: knownLoader(boot) ?? null,
    };
  },

  plan(cgroups, { required }) {
    const { failures } = cgroups;
    if (required && failures.length > 0) {
      throw new TaskError(failures.join('; '), { result: report(cgroups) });
    }
    return { before: cgroups, after: cgroups, steps: [], effects: [] };
  },

  report,
});

function report(cgroups: Cgroups) {
  return { ansible_facts: { cgroups } };
}

/** Prints, each with NUL after it: the file system, controllers, whether groups can be frozen, the table, GRUB's files. */
async function readCgroups(host: Reader) {
  const { stdout } = await host.read(sh`stat -fc %T ${ROOT}; printf '\\0'
cat ${ROOT}/cgroup.controllers 2>/dev/null; printf '\\0'
for f in ${ROOT}/*/cgroup.freeze ${ROOT}/cgroup.freeze; do if [ -e "$f" ]; then printf yes; break; fi; done; printf '\\0'
cat /proc/cgroups 2>/dev/null; printf '\\0'
grep -lF cgroup_disable= ${GRUB_FILES} 2>/dev/null; printf '\\0'`);
  const [type = '', controllers = '', freeze = '', table = '', files = ''] = stdout.split('\0');
  const version = type.trim() === 'cgroup2fs' ? 'v2' : 'v1';
  const facts: CgroupFacts = { version, table, controllers, canFreeze: freeze === 'yes' };
  return { facts, grubFiles: wordsOf(files) };
}

function explain(row: CgroupRow, boot: BootFacts, grubFiles: readonly string[]): string {
  const { name, controller, verdict } = row;
  const names = [name, controller];
  const token = wordsOf(boot.cmdline).findLast((word) => {
    const [, list] = /^cgroup_disable=(.+)$/.exec(word) ?? [];
    return list?.split(',').some((each) => names.includes(each)) === true;
  });
  const what = `the control group ${name} is ${verdict}`;
  if (token === undefined) return what;
  return `${what}: the kernel was started with ${token}, ${originOf(token, boot, grubFiles)}`;
}

/** Where a word of the kernel's command line comes from. */
function originOf(token: string, boot: BootFacts, grubFiles: readonly string[]): string {
  const file = firmwareFile(boot);
  if (file !== undefined && wordsOf(boot.texts.get(file) ?? '').includes(token)) {
    return `which stands in ${file}`;
  }
  if (grubFiles.length > 0) return `which stands in ${grubFiles.join(' ')}`;
  if (isRaspberryPi(boot)) {
    return `which the firmware adds before the text of ${file ?? 'its file'}: cgroup_enable=${token.split('=')[1]} has to stand there`;
  }
  return 'which stands in no file that is known here: the boot loader adds it';
}

function firmwareFile(boot: BootFacts): string | undefined {
  try {
    return firmwareLine(boot).file;
  } catch {
    return undefined; // No firmware partition.
  }
}
