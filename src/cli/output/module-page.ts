/** The reference page of a module, in Markdown. */
import type { Module } from '../../engine/module.ts';
import { type ArgumentRow, argumentRows, defaultText } from './module-arguments.ts';
import { renderPlainYaml } from './plain-yaml.ts';

/** Title, summary, arguments, rules between them, examples and results. */
export function renderModulePage(module: Module): string {
  const parts = [
    `# ${module.name}`,
    module.summary,
    `Also: ${module.aliases.map(code).join(', ')}.`,
    ...section('Arguments', argumentTable(module)),
    ...section(
      'Rules',
      ruleLines(module)
        .map((line) => `- ${line}`)
        .join('\n'),
    ),
    ...section('Examples', fenced(renderExamples(module))),
    ...section('Results', resultTable(module)),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The list of all modules, with links. */
export function renderModuleIndex(modules: readonly Module[]): string {
  const rows = modules.map(({ name, summary }) => `| [${name}](${name}.md) | ${cell(summary)} |`);
  return `# Modules\n\n| module | what it does |\n| --- | --- |\n${rows.join('\n')}\n`;
}

/** Tasks that show the examples of a module. */
export function renderExamples({ name, examples }: Module): string {
  return renderPlainYaml(examples.map(({ title, args }) => ({ name: title, [name]: args })));
}

/** How the arguments depend on each other, in sentences. */
export function ruleLines(module: Module): readonly string[] {
  const names = (list: readonly string[]) => list.map(code).join(', ');
  const { mutuallyExclusive, requiredTogether, requiredOneOf, requiredIf, requiredBy } = module;
  return [
    ...(mutuallyExclusive ?? []).map((each) => `Only one of ${names(each)}.`),
    ...(requiredTogether ?? []).map((each) => `All or none of ${names(each)}.`),
    ...(requiredOneOf ?? []).map((each) => `At least one of ${names(each)}.`),
    ...(requiredIf ?? []).map(({ argument, value, needs, any = false }) => {
      return `Where ${code(argument)} is ${code(String(value))}: ${any ? 'one of ' : ''}${names(needs)}.`;
    }),
    ...Object.entries(requiredBy ?? {}).map(
      ([name, needs]) => `With ${code(name)}: ${names(needs)}.`,
    ),
    ...(module.freeForm === undefined
      ? []
      : [`Text after the module's name is ${code(module.freeForm)}.`]),
    ...(module.openArgs === true ? ['Any other argument is accepted too.'] : []),
  ];
}

function argumentTable(module: Module): string {
  const rows = argumentRows(module).map(argumentLine);
  if (rows.length === 0) return '';
  return `| argument | type | default | meaning |\n| --- | --- | --- | --- |\n${rows.join('\n')}`;
}

function argumentLine(row: ArgumentRow): string {
  const { aliases, choices, isRequired, description } = row;
  const name = [code(row.name), ...aliases.map((alias) => `(${code(alias)})`)].join(' ');
  const type = choices.length > 0 ? [...new Set(choices.map(code))].join(', ') : row.type;
  const fallback = defaultText(row.default);
  const standard = fallback === '' ? '' : code(fallback);
  return `| ${name} | ${type} | ${isRequired ? '**required**' : standard} | ${cell(description)} |`;
}

function resultTable({ returns }: Module): string {
  const rows = Object.entries(returns).map(([name, text]) => `| ${code(name)} | ${cell(text)} |`);
  return rows.length === 0 ? '' : `| member | meaning |\n| --- | --- |\n${rows.join('\n')}`;
}

function section(title: string, body: string): readonly string[] {
  return body === '' ? [] : [`## ${title}`, body];
}

function fenced(text: string): string {
  return `\`\`\`yaml\n${text}\n\`\`\``;
}

function code(text: string): string {
  const visible = text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
  return `\`${visible.replaceAll('|', '\\|')}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
