import { TemplateError } from './errors.ts';
import type { Syntax } from './syntax.ts';

const MARK = '#jinja2:';

type Kind = 'string' | 'boolean';
interface Option {
  readonly key: keyof Syntax;
  readonly kind: Kind;
}

/** Ansible's names of the settings, for headers of template files and the template module's options. */
export const SYNTAX_OPTIONS: ReadonlyMap<string, Option> = new Map<string, Option>([
  ['block_start_string', { key: 'blockStart', kind: 'string' }],
  ['block_end_string', { key: 'blockEnd', kind: 'string' }],
  ['variable_start_string', { key: 'variableStart', kind: 'string' }],
  ['variable_end_string', { key: 'variableEnd', kind: 'string' }],
  ['comment_start_string', { key: 'commentStart', kind: 'string' }],
  ['comment_end_string', { key: 'commentEnd', kind: 'string' }],
  ['line_statement_prefix', { key: 'lineStatementPrefix', kind: 'string' }],
  ['line_comment_prefix', { key: 'lineCommentPrefix', kind: 'string' }],
  ['trim_blocks', { key: 'trimBlocks', kind: 'boolean' }],
  ['lstrip_blocks', { key: 'lstripBlocks', kind: 'boolean' }],
  ['newline_sequence', { key: 'newlineSequence', kind: 'string' }],
  ['keep_trailing_newline', { key: 'keepTrailingNewline', kind: 'boolean' }],
]);

export interface Header {
  readonly body: string;
  /** The lines that the header takes. */
  readonly lines: number;
  readonly overrides: Partial<Syntax>;
}

/** Reads the `#jinja2:` line of a template file. Throws TemplateError on a setting that is not understood. */
export function parseHeader(text: string, file: string): Header {
  if (!text.startsWith(MARK)) return { body: text, lines: 0, overrides: {} };
  const end = text.indexOf('\n');
  const line = end === -1 ? text : text.slice(0, end);
  try {
    const pairs = line.slice(MARK.length).split(',').map(parseSetting);
    return {
      body: end === -1 ? '' : text.slice(end + 1),
      lines: 1,
      overrides: Object.fromEntries(pairs),
    };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new TemplateError(error.message, { position: { file, line: 1, column: 1 } });
  }
}

function parseSetting(text: string): [string, string | boolean] {
  const [name = '', ...rest] = text.split(':');
  const option = SYNTAX_OPTIONS.get(name.trim());
  if (option === undefined)
    throw new TemplateError(`"${text.trim()}" is no setting of a #jinja2: header`);
  const value = parseLiteral(rest.join(':').trim());
  if (typeof value !== option.kind) {
    throw new TemplateError(`${name.trim()} in the #jinja2: header takes a ${option.kind}`);
  }
  if (option.key === 'newlineSequence' && !/^(?:\r\n|\r|\n)$/.test(String(value)))
    throw new TemplateError('newline_sequence is one of \\n, \\r and \\r\\n');
  return [option.key, value];
}

function parseLiteral(text: string): string | boolean {
  if (text === 'True' || text === 'False') return text === 'True';
  const quoted = /^(['"])(.*)\1$/.exec(text)?.[2];
  if (quoted === undefined)
    throw new TemplateError(`"${text}" in the #jinja2: header is no True, False or text`);
  return quoted.replaceAll('\\n', '\n').replaceAll('\\r', '\r').replaceAll('\\\\', '\\');
}
