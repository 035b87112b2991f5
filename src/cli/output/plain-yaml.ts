/** Writes plain data as the YAML that a person would write in a playbook. */

const SAFE = /^(?![-?:,[\]{}#&*!|>'"%@`\s])(?!.*(: | #|:$|\s$))[^\n]+$/;
const OTHER_TYPES =
  /^([-+.]?\d[\d_.,:xXa-fA-FeE+-]*|[-+]?\.(inf|nan)|true|false|yes|no|on|off|y|n|null|~)$/i;

/** Lines of YAML for a value, each indented by some blanks. */
export function renderPlainYaml(value: unknown, indent = 0): string {
  return nodeLines(value)
    .map((line) => (line === '' ? '' : `${' '.repeat(indent)}${line}`))
    .join('\n');
}

function nodeLines(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.length === 0 ? ['[]'] : value.flatMap(itemLines);
  if (typeof value !== 'object' || value === null) return [scalar(value)];
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return entries.length === 0
    ? ['{}']
    : entries.flatMap(([key, member]) => entryLines(key, member));
}

function itemLines(item: unknown): readonly string[] {
  const [first = '', ...more] = nodeLines(item);
  return [`- ${first}`, ...more.map((line) => `  ${line}`)];
}

function entryLines(key: string, member: unknown): readonly string[] {
  const name = scalar(key);
  if (typeof member === 'string' && member.trimEnd().includes('\n')) return block(name, member);
  const lines = nodeLines(member);
  const isInline =
    typeof member !== 'object' || member === null || /^(\[\]|\{\})$/.test(lines[0] ?? '');
  return isInline ? [`${name}: ${lines[0]}`] : [`${name}:`, ...lines.map((line) => `  ${line}`)];
}

function block(name: string, text: string): readonly string[] {
  const header = text.endsWith('\n') ? '|' : '|-';
  const lines = text.replace(/\n$/, '').split('\n');
  return [`${name}: ${header}`, ...lines.map((line) => (line === '' ? '' : `  ${line}`))];
}

function scalar(value: unknown): string {
  if (typeof value !== 'string') return String(value);
  return SAFE.test(value) && !OTHER_TYPES.test(value) ? value : JSON.stringify(value);
}
