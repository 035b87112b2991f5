/** Writes plain data as the YAML that a person would write in a playbook. */

const SAFE =
  /^(?![-?:,[\]{}#&*!|>'"%@`\s])(?!.*(: | #|:$|\s$))[\x20-\x7e\u00a1-\u2027\u202a-\ud7ff]+$/;
/** Text of several lines that a block can hold: no control characters, no blanks that would count as indentation. */
const BLOCK =
  /^[\x21-\x7e\u00a1-\u2027\u202a-\ud7ff][\x20-\x7e\u00a1-\u2027\u202a-\ud7ff]*(\n[\x20-\x7e\u00a1-\u2027\u202a-\ud7ff]*)*[\x21-\x7e\u00a1-\u2027\u202a-\ud7ff]\n?$/;
const OTHER_TYPES =
  /^([-+.]?\d[\d_.,:xXa-fA-FeE+-]*|[-+]?\.(inf|nan)|true|false|yes|no|on|off|y|n|null|~|=|<<)$/i;

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
  if (typeof member === 'string' && member.trimEnd().includes('\n') && BLOCK.test(member)) {
    return block(name, member);
  }
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
  return SAFE.test(value) && !OTHER_TYPES.test(value) ? value : quoted(value);
}

/** JSON's quotes, and escapes for what YAML does not allow to stand in a file. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(/[\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
