/** The documentation of a module for a terminal. */
import type { Module } from '../../engine/module.ts';
import { type ArgumentRow, argumentRows, defaultText } from './module-arguments.ts';
import { renderExamples, ruleLines } from './module-page.ts';
import { renderPlainYaml } from './plain-yaml.ts';

const WIDTH = 80;

/** Everything about a module; `=` marks a required argument, `-` another one. */
export function renderModuleText(module: Module): string {
  const parts = [
    `> ${module.name.toUpperCase()}    (${module.aliases[0] ?? module.name})`,
    wrap(module.summary, 2),
    ...titled('ARGUMENTS', argumentRows(module).map(argumentText).join('\n\n')),
    ...titled(
      'RULES',
      ruleLines(module)
        .map((line) => wrap(`* ${line}`, 2))
        .join('\n'),
    ),
    ...titled('EXAMPLES', renderExamples(module)),
    ...titled('RESULTS', resultText(module)),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** A task to start from: every argument, its meaning as a comment. */
export function renderModuleSnippet(module: Module): string {
  const rows = argumentRows(module).filter(({ name }) => !/[.[]/.test(name));
  const lines = rows.map(({ name, isRequired, description, default: fallback }) => {
    const note = `${isRequired ? '(required) ' : ''}${description}`;
    const value =
      fallback === undefined ? '' : ` ${renderPlainYaml(fallback).replaceAll('\n', ' ')}`;
    return `    ${name}:${Array.isArray(fallback) ? ` ${JSON.stringify(fallback)}` : value}  # ${note}`;
  });
  return [`- name: ${module.summary}`, `  ${module.aliases[0] ?? module.name}:`, ...lines, ''].join(
    '\n',
  );
}

/** A module as data: what the reference page says. */
export function describeModule(module: Module): unknown {
  const { name, aliases, summary, examples, returns } = module;
  return {
    name,
    aliases,
    summary,
    arguments: argumentRows(module),
    rules: ruleLines(module),
    examples,
    returns,
  };
}

function argumentText(row: ArgumentRow): string {
  const { isRequired, aliases, choices, type } = row;
  const fallback = defaultText(row.default);
  const facts = [
    `type: ${type}`,
    ...(choices.length > 0 ? [`choices: ${choices.join(', ')}`] : []),
    ...(fallback === '' ? [] : [`default: ${fallback}`]),
    ...(aliases.length > 0 ? [`aliases: ${aliases.join(', ')}`] : []),
  ];
  const lines = [row.description, ...facts].map((line) => wrap(line, 8));
  return [`${isRequired ? '=' : '-'} ${row.name}`, ...lines].join('\n');
}

function resultText({ returns }: Module): string {
  return Object.entries(returns)
    .map(([name, text]) => `- ${name}\n${wrap(text, 8)}`)
    .join('\n');
}

function titled(title: string, body: string): readonly string[] {
  return body === '' ? [] : [`${title}:`, body];
}

function wrap(text: string, indent: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && indent + line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((each) => `${' '.repeat(indent)}${each}`).join('\n');
}
