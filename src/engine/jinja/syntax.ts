/** The delimiters and the whitespace rules of a template. */
export interface Syntax {
  readonly blockStart: string;
  readonly blockEnd: string;
  readonly variableStart: string;
  readonly variableEnd: string;
  readonly commentStart: string;
  readonly commentEnd: string;
  readonly lineStatementPrefix: string | undefined;
  readonly lineCommentPrefix: string | undefined;
  readonly trimBlocks: boolean;
  readonly lstripBlocks: boolean;
  readonly newlineSequence: string;
  readonly keepTrailingNewline: boolean;
  /** Playbook text: a backslash in a string literal is an ordinary character. */
  readonly literalBackslashes: boolean;
}

/** Ansible's settings for values of playbooks. */
export const PLAYBOOK_SYNTAX: Syntax = {
  blockStart: '{%',
  blockEnd: '%}',
  variableStart: '{{',
  variableEnd: '}}',
  commentStart: '{#',
  commentEnd: '#}',
  lineStatementPrefix: undefined,
  lineCommentPrefix: undefined,
  trimBlocks: true,
  lstripBlocks: false,
  newlineSequence: '\n',
  keepTrailingNewline: false,
  literalBackslashes: true,
};

/** Ansible's settings for template files. */
export const FILE_SYNTAX: Syntax = { ...PLAYBOOK_SYNTAX, literalBackslashes: false };
