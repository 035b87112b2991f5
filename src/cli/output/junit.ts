/** A JUnit report: a test suite for each playbook, a test case for each task on each host. */
import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, extname, join, relative, resolve } from 'node:path';
import type { ResultInfo, RunEvent, TaskInfo } from '../../engine/run/events.ts';
import { toPlain } from '../../engine/values.ts';
import { makeDirectories } from '../../shared/make-directories.ts';
import { type JunitOptions, junitOptions } from './junit-options.ts';
import type { Output, OutputOptions } from './output-port.ts';
import { resultText, shownResult } from './result-text.ts';
import { warningsToStderr } from './warnings.ts';
import { element } from './xml.ts';

/**
 * The report goes to a file in $JUNIT_OUTPUT_DIR where that is set, else to stdout. Beside another output it
 * always goes to a file, by default below ~/.ansible.log, as Ansible's.
 */
export function junitOutput({ isBeside }: OutputOptions): Output {
  const options = junitOptions(process.env);
  const report = new JunitReport(options);
  const directory =
    options.directory ?? (isBeside === true ? join(homedir(), '.ansible.log') : undefined);
  return {
    emit: (event) => {
      if (event.type === 'warning' && isBeside !== true) warningsToStderr(event.text);
      report.listen(event);
    },
    close: () => {
      if (directory === undefined) process.stdout.write(report.text());
      else writeReport(directory, report);
    },
  };
}

function writeReport(directory: string, report: JunitReport): void {
  makeDirectories(directory);
  const file = join(directory, `${report.name}-${Date.now() / 1000}.xml`);
  writeFileSync(file, report.text());
  process.stderr.write(`JUnit report: ${file}\n`);
}

interface Case {
  readonly suite: string;
  readonly xml: string;
  readonly outcome: Outcome;
  readonly seconds: number;
}

type Outcome = 'passed' | 'failure' | 'error' | 'skipped';

/** Collects a run. */
export class JunitReport {
  readonly #options: JunitOptions;
  readonly #cases: Case[] = [];
  #playbook = 'playbook';
  #play = '';

  constructor(options: JunitOptions) {
    this.#options = options;
  }

  /** Name of the first playbook, without its extension. */
  get name(): string {
    return this.#cases[0]?.suite ?? this.#playbook;
  }

  listen(event: RunEvent): void {
    if (event.type === 'playbook-start') this.#playbook = basename(event.file, extname(event.file));
    if (event.type === 'play-start') this.#play = event.name;
    if (event.type === 'result') this.#add(event.task, event.info);
  }

  /** The document. */
  text(): string {
    const names = [...new Set(this.#cases.map(({ suite }) => suite))];
    const suites = names.map((name) =>
      suiteXml(
        name,
        this.#cases.filter(({ suite }) => suite === name),
      ),
    );
    const attributes = countsOf(this.#cases);
    return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', attributes, suites)}\n`;
  }

  #add(task: TaskInfo, info: ResultInfo): void {
    const { includeSetup, casePrefix } = this.#options;
    if (!includeSetup && task.module === 'setup') return;
    if (!task.title.startsWith(casePrefix)) return;
    const outcome = outcomeOf(info, this.#options);
    const seconds = info.durationMs / 1000;
    const name = `[${info.host}] ${this.#play}: ${task.title.slice(casePrefix.length).trim()}`;
    const classname = this.#classOf(task);
    const attributes = { classname, name, time: seconds.toFixed(3) };
    const body = [bodyOf(outcome, info), outputOf(task, info, this.#options)];
    const xml = element(
      'testcase',
      attributes,
      body.filter((each) => each !== ''),
    );
    this.#cases.push({ suite: this.#playbook, xml, outcome, seconds });
  }

  #classOf({ position }: TaskInfo): string {
    const { relativePath, taskClass } = this.#options;
    const path = resolve(position.file);
    const shown = relativePath === undefined ? path : relative(relativePath, path);
    return taskClass
      ? shown.slice(0, shown.length - extname(shown).length)
      : `${shown}:${position.line}`;
  }
}

function suiteXml(name: string, cases: readonly Case[]): string {
  return element(
    'testsuite',
    { name, ...countsOf(cases) },
    cases.map(({ xml }) => xml),
  );
}

function countsOf(cases: readonly Case[]): Record<string, string> {
  const count = (outcome: Outcome) =>
    String(cases.filter((each) => each.outcome === outcome).length);
  const seconds = cases.reduce((sum, each) => sum + each.seconds, 0);
  return {
    tests: String(cases.length),
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
    time: seconds.toFixed(3),
  };
}

function outcomeOf({ status, ignored }: ResultInfo, options: JunitOptions): Outcome {
  if (status === 'unreachable') return ignored ? 'passed' : 'error';
  if (status === 'failed') return ignored && !options.failsOnIgnore ? 'passed' : 'failure';
  if (status === 'skipped') return 'skipped';
  return status === 'changed' && options.failsOnChange ? 'failure' : 'passed';
}

function bodyOf(outcome: Outcome, { result, status }: ResultInfo): string {
  if (outcome === 'passed') return '';
  const reason = result.get('skip_reason') ?? result.get('skipped_reason') ?? result.get('msg');
  if (outcome === 'skipped') return element('skipped', {}, [], String(reason ?? 'skipped'));
  const message = status === 'changed' ? 'the task changed the host' : String(reason ?? 'rc != 0');
  const text = resultText(result, { verbosity: 0, indented: true });
  return element(outcome, { message, type: outcome }, [], text);
}

function outputOf(
  task: TaskInfo,
  { result }: ResultInfo,
  { hidesArguments }: JunitOptions,
): string {
  const args = hidesArguments ? undefined : toPlain(result.get('invocation') ?? null);
  const shown = toPlain(shownResult(result, 0));
  const text = JSON.stringify(
    { ...(args !== null && { invocation: args }), result: shown },
    undefined,
    4,
  );
  return element('system-out', {}, [], `${task.action}\n${text}`);
}
