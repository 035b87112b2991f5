/** What it takes to stop a host from swapping, and to undo that. */
import { posix } from 'node:path';
import {
  change,
  type Diff,
  type Effect,
  type Plan,
  run,
  type Step,
} from '../../../engine/module.ts';
import { sh } from '../../../shared/shell.ts';
import { rewritten, type TextFile } from '../text-file.ts';
import { withoutSwap, withSwapAgain } from './fstab.ts';
import { WITHOUT_RPI_SWAP, withoutZram, zramSwaps } from './generators.ts';
import { RECORD_FOLDER, type SwapState } from './probe.ts';
import { type UnitWish, unitWishes } from './units.ts';

/** A file with another text, or none. */
interface Edit {
  readonly file: TextFile;
  readonly text: string | undefined;
}

/** First what comes at boot: a restart then helps a host that has too little memory to stop swapping. */
export function planOff(now: SwapState): Plan<SwapState> {
  const wishes = unitWishes(now.units);
  const edits = editsOff(now, wishes);
  const running = wishes.filter(({ unit }) => unit.active === 'active');
  const steps = [
    now.fstab.text !== withoutSwap(now.fstab.text) && keepOriginal(now.fstab.path),
    ...edits.flatMap(editSteps),
    systemctl('disable', namesOf(wishes.filter(({ verb }) => verb === 'disable'))),
    systemctl('mask', namesOf(wishes.filter(({ verb }) => verb === 'mask'))),
    // The service of dphys-swapfile swaps off by itself, and fails where somebody else has done so.
    systemctl('stop', namesOf(running, /\.service$/)),
    now.active.length > 0 && run(sh`swapoff -a`, { failure: whyNotOff(now) }),
    systemctl('stop', namesOf(running, /\.swap$/)),
    wishes.length + edits.length > 0 && reload(),
  ];
  const after = { ...now, active: [] };
  const effects = [...edits.map(editEffect), ...wishes.map(unitEffect)];
  return change(now, after, steps, { effects, diff: diffOf(now, after, edits) });
}

/** Undoes what was written and disabled, and starts what was stopped. */
export function planRestored(now: SwapState): Plan<SwapState> {
  const record = now.record.text.split('\n').map((line) => line.split(' '));
  const recorded = (verb: string) =>
    record.flatMap(([word, unit]) => (word === verb && unit !== undefined ? [unit] : []));
  const edits = [
    { file: now.fstab, text: withSwapAgain(now.fstab.text) },
    { file: now.zramDropIn, text: undefined },
    { file: now.rpiDropIn, text: undefined },
    { file: now.record, text: undefined },
  ].filter(isEdit);
  const disabled = recorded('disable');
  const isDue = edits.length > 0;
  const steps = [
    ...edits.filter(({ file }) => file !== now.record).flatMap(editSteps),
    systemctl('unmask', recorded('mask')),
    systemctl('enable', disabled),
    isDue && reload(),
    systemctl('start', isDue ? ['swap.target', ...disabled] : []),
    // Last: what is cut short before is undone by the next run.
    isDue && run(sh`rm -rf -- ${RECORD_FOLDER}`),
  ];
  return change(now, now, steps, {
    effects: [
      ...edits.map(editEffect),
      ...recorded('mask').map((name): Effect => ({ kind: 'unit', name, enabled: 'static' })),
      ...disabled.map((name): Effect => ({ kind: 'unit', name, enabled: 'enabled' })),
    ],
    diff: diffOf(now, now, edits),
  });
}

function editsOff(now: SwapState, wishes: readonly UnitWish[]): Edit[] {
  const known = now.record.text.split('\n').filter((line) => line !== '');
  const lines = new Set([...known, ...wishes.map(({ verb, unit }) => `${verb} ${unit.name}`)]);
  const record = [...lines].map((line) => `${line}\n`).join('');
  const others = now.zram.filter(({ path }) => path !== now.zramDropIn.path);
  const isZramOn = zramSwaps(now.zram).length > 0;
  return [
    { file: now.record, text: record },
    { file: now.fstab, text: withoutSwap(now.fstab.text) },
    ...(isZramOn ? [{ file: now.zramDropIn, text: withoutZram(zramSwaps(others)) }] : []),
    ...(now.rpiMechanism !== 'none' ? [{ file: now.rpiDropIn, text: WITHOUT_RPI_SWAP }] : []),
  ].filter(isEdit);
}

function isEdit({ file, text }: Edit): boolean {
  return text === undefined ? file.state !== null : text !== file.text;
}

function editSteps({ file, text }: Edit): Step[] {
  if (text === undefined) return [run(sh`rm -f -- ${file.path}`)];
  const { step } = rewritten(file, text);
  return file.state === null ? [run(sh`mkdir -p -- ${posix.dirname(file.path)}`), step] : [step];
}

function editEffect({ file, text }: Edit): Effect {
  if (text === undefined) return { kind: 'path', name: file.path, state: undefined };
  return rewritten(file, text).effect;
}

function unitEffect({ verb, unit }: UnitWish): Effect {
  const enabled = verb === 'mask' ? 'masked' : 'disabled';
  return { kind: 'unit', name: unit.name, active: 'inactive', enabled };
}

/** The file as it was before the first change. */
function keepOriginal(path: string): Step {
  const copy = `${RECORD_FOLDER}/${posix.basename(path)}`;
  return run(sh`mkdir -p -- ${RECORD_FOLDER}; [ -e ${copy} ] || cp -p -- ${path} ${copy}`);
}

function systemctl(verb: string, units: readonly string[]): Step | false {
  return units.length > 0 && run(sh`systemctl ${verb} -- ${units}`);
}

/** Generators run anew. */
function reload(): Step {
  return run(sh`[ ! -d /run/systemd/system ] || systemctl daemon-reload`);
}

function namesOf(wishes: readonly UnitWish[], pattern = /./): string[] {
  return wishes.map(({ unit }) => unit.name).filter((name) => pattern.test(name));
}

function whyNotOff({ active, availableKib }: SwapState): string {
  const usedMib = Math.ceil(active.reduce((sum, { usedKib }) => sum + usedKib, 0) / 1024);
  const freeMib = Math.floor(availableKib / 1024);
  return `swap cannot be turned off now (${usedMib} MiB are swapped out, ${freeMib} MiB of memory are available): stop programs or restart the host, swap stays off at the next boot`;
}

function diffOf(before: SwapState, after: SwapState, edits: readonly Edit[]): Diff[] {
  const swaps = ({ active }: SwapState) => ({ swaps: active.map(({ name }) => name) });
  const files = edits.map(({ file, text }) => ({
    before: file.text,
    after: text ?? '',
    beforeHeader: file.path,
    afterHeader: file.path,
  }));
  const isRunning = before.active.length !== after.active.length;
  return [...files, ...(isRunning ? [{ before: swaps(before), after: swaps(after) }] : [])];
}
