/** `tsprov-scaler validate`: finds what is wrong in manifests before a cluster sees them. */
import { Command } from 'commander';

import { formatProblem, type Problem } from '../../../shared/errors.ts';
import { type CheckedManifests, checkManifests } from '../../manifest/check-manifests.ts';
import { readManifests } from '../../manifest/read-manifests.ts';
import { triggers } from '../../triggers/registry.ts';
import { colours } from '../colours.ts';
import { EXIT } from '../exit-codes.ts';
import { addCompatibility, type CompatibilityFlags, outputOption } from '../options.ts';
import { readInputs } from '../read-input.ts';

interface Flags extends CompatibilityFlags {
  readonly output: 'text' | 'json';
  readonly strict?: true;
}

export function validateCommand(): Command {
  const command = new Command()
    .description(
      'Check ScaledObjects, ScaledJobs and TriggerAuthentications. No cluster is contacted; objects of other APIs are left out.',
    )
    .argument('<file...>', 'manifests, directories of manifests, or - for the standard input')
    .addOption(outputOption(['text', 'json']))
    .option('--strict', 'take warnings for problems');
  return addCompatibility(command).action(async (files: string[], flags: Flags) => {
    const checked = await check(files, flags);
    process.stdout.write(flags.output === 'json' ? asJson(checked) : summary(files, checked));
    if (flags.output === 'text') process.stderr.write(asText(checked));
    if (checked.problems.length > 0) process.exitCode = EXIT.invalid;
  });
}

async function check(
  files: readonly string[],
  { compat, strict }: Flags,
): Promise<CheckedManifests> {
  const inputs = await readInputs(files);
  const read = inputs.map(({ file, text }) => readManifests(text, file));
  const manifests = read.flatMap((each) => each.manifests);
  const checked = checkManifests(manifests, triggers, compat);
  const syntax = read.flatMap(({ problems }) => problems);
  const [worse, warnings] = strict === true ? [checked.warnings, []] : [[], checked.warnings];
  return { ...checked, problems: [...syntax, ...checked.problems, ...worse], warnings };
}

function asText({ problems, warnings }: CheckedManifests): string {
  const lines = [
    ...problems.map((problem) => colours().red(formatProblem(problem))),
    ...warnings.map((warning) => colours().yellow(`warning: ${formatProblem(warning)}`)),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function summary(
  files: readonly string[],
  { problems, checkedCount, otherCount }: CheckedManifests,
): string {
  if (problems.length > 0) return '';
  const others = otherCount === 0 ? '' : `, ${otherCount} of other APIs left out`;
  return `${files.join(', ')}: no problems found (${checkedCount} checked${others})\n`;
}

function asJson({ problems, warnings, checkedCount, otherCount }: CheckedManifests): string {
  const plain = ({ place, message, hint }: Problem) => ({ ...place, message, hint });
  const report = {
    valid: problems.length === 0,
    checked: checkedCount,
    others: otherCount,
    problems: problems.map(plain),
    warnings: warnings.map(plain),
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}
