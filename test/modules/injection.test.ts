import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { readModules } from '../../scripts/module-files.ts';
import type { Module } from '../../src/engine/module.ts';
import { hostileArgs } from '../support/hostile-args.ts';
import { readCases } from '../support/module-case.ts';
import { recordScripts } from '../support/recording-host.ts';
import { DASH, MARK, runInSandbox } from '../support/sandbox-shell.ts';

/** The first is run where it stands bare or in double quotes, the second in single quotes; neither breaks a script. */
const RUN = [
  `a$(${MARK})b`,
  `a'$(${MARK})'b`,
  `a$(${MARK})\`${MARK}\`; ${MARK}; "; ${MARK}; '; ${MARK}; & ${MARK} | ${MARK} &\n${MARK}\n\${IFS}*?[a-z]~#\\`,
];
const OPTION = `${DASH}=x`;

/** Modules whose arguments are shell text: there it is what the user has written. */
const RUN_BY_THE_USER: Readonly<Record<string, readonly string[]>> = {
  raw: ['cmd', 'executable'],
  shell: ['cmd', 'executable'],
  command: ['cmd', 'argv'],
  read_command: ['cmd'],
  reboot: ['boot_time_command', 'reboot_command', 'test_command'],
};

interface Sent {
  readonly from: string;
  readonly script: string;
}

/** Everything that a module would send for its cases, with one text of their arguments replaced. */
async function sentWith(module: Module, hostile: string): Promise<Sent[]> {
  const file = fileURLToPath(
    new URL(`cases/${module.name.replaceAll('_', '-')}.yaml`, import.meta.url),
  );
  const cases = existsSync(file) ? readCases(file) : [];
  const own = RUN_BY_THE_USER[module.name] ?? [];
  const sent = new Map<string, string>();
  for (const given of cases.filter(({ expect: { error } }) => error === undefined)) {
    const names = Object.keys(module.args.shape ?? {}).filter((name) => !own.includes(name));
    for (const { place, args, original } of hostileArgs(given.args, names, hostile)) {
      const scripts = await recordScripts(module, given, args, { hostile, original });
      for (const script of scripts) sent.set(script, `${module.name}, ${given.name}: ${place}`);
    }
  }
  return [...sent].map(([script, from]) => ({ script, from }));
}

const found = await readModules();

describe('arguments of modules', () => {
  // What speaks to an API server or asks the network for releases waits for them in real time.
  const modules = found.filter(({ module: { name } }) => !/^(?:k8s_|release_)/.test(name));
  for (const { module } of modules) {
    it(`of ${module.name} run nothing and are no options`, async function () {
      this.timeout(120_000);
      const sent: Sent[] = [];
      for (const hostile of [...RUN, OPTION]) sent.push(...(await sentWith(module, hostile)));
      const hostileOnes = sent.filter(
        ({ script }) => script.includes(MARK) || script.includes(DASH),
      );
      const { ran, options } = runInSandbox(hostileOnes.map(({ script }) => script));
      expect(ran.map((i) => hostileOnes[i]?.from)).to.deep.equal([]);
      expect(options.map((words) => words.join(' '))).to.deep.equal([]);
    });
  }
});
