import { table } from '../../shared/table.ts';

interface Call {
  readonly name: string;
  readonly hash: Readonly<Record<string, unknown>>;
  readonly loc?: { readonly start: { readonly line: number; readonly column: number } };
}

type Helper = (...args: unknown[]) => unknown;

/** The helpers of `.hbs` templates beside Handlebars' own if, unless, each, with and lookup. */
export const HELPERS: Readonly<Record<string, Helper>> = table({
  /** Whether both are the same text, number or boolean. */
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  /** The first value that is false or empty, else the last. */
  and: (...args) => args.slice(0, -1).find((value) => !isTrue(value)) ?? args.at(-2),
  /** The first value that is true and not empty, else the last. */
  or: (...args) => args.slice(0, -1).find(isTrue) ?? args.at(-2),
  not: (value) => !isTrue(value),
  /** A value, or another where there is none: `{{default pod_cidr "10.200.0.0/24"}}`. */
  default: (value, fallback) => value ?? fallback,
  /** The items of a list as one text: `{{join dns ", "}}`. */
  join: required((list, separator) => {
    const items = Array.isArray(list) ? list : [list];
    return items.join(typeof separator === 'string' ? separator : ',');
  }),
  /** JSON on one line, or indented: `{{json config indent=2}}`. */
  json: required((value, call) => JSON.stringify(value, undefined, indentOf(call))),
  /** Indents every line but the first: `{{indent text 4}}`; the first too with `first=true`. */
  indent: required((text, width, call) => indentLines(String(text), Number(width), call)),
  lower: required((text) => String(text).toLowerCase()),
  upper: required((text) => String(text).toUpperCase()),
});

/** A helper whose first argument has to be there. */
function required(helper: Helper): Helper {
  return (...args) => {
    const call = args.at(-1) as Call; // Handlebars passes it last, always.
    if (args.length > 1 && args[0] !== undefined) return helper(...args);
    const fault = args.length > 1 ? 'a value that is not defined' : 'no value';
    throw located(`${call.name} is given ${fault}`, call);
  };
}

/** An error in the form of Handlebars' own, with the place at its end. */
function located(message: string, { loc }: Call): Error {
  return new Error(
    loc === undefined ? message : `${message} - ${loc.start.line}:${loc.start.column}`,
  );
}

function indentOf(call: unknown): number | undefined {
  const { indent } = (call as Call).hash; // Handlebars passes it last, always.
  return typeof indent === 'number' ? indent : undefined;
}

function indentLines(text: string, width: number, call: unknown): string {
  const { first } = (call as Call | undefined)?.hash ?? {}; // Absent when the width is left out.
  const space = ' '.repeat(Number.isFinite(width) ? width : 4);
  const indented = text.replace(/\n(?=[^\n])/g, `\n${space}`);
  return first === true ? space + indented : indented;
}

/** Truth as `if` sees it: empty lists and texts and zero are false. */
function isTrue(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}
