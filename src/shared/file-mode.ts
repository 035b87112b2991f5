/** File modes as playbooks write them: numbers, octal text, symbolic text (`u=rwX,g+w,o-rwx`). */

const ALL_BITS = 0o7777;
const ANY_EXECUTE = 0o111;
const CLAUSE = /^(a|[ugo]*)((?:[-+=](?:[rwxXst]*|[ugo]))+)$/;
const OPERATION = /([-+=])([rwxXst]*|[ugo])(?=[-+=]|$)/g;

type Who = 'u' | 'g' | 'o';
const SHIFT: Readonly<Record<Who, number>> = { u: 6, g: 3, o: 0 };
/** What `=` replaces for each class: its permissions, and setuid, setgid or the sticky bit. */
const CLASS_BITS: Readonly<Record<Who, number>> = { u: 0o4700, g: 0o2070, o: 0o1007 };
const SPECIAL_BIT: Readonly<Record<Who, number>> = { u: 0o4000, g: 0o2000, o: 0o1000 };

export interface ModeContext {
  /** The mode before, on which symbolic text builds. */
  readonly current: number;
  readonly isDirectory: boolean;
  /** Holds back bits where a symbolic clause names no class (`+x`). */
  readonly umask: number;
}

/**
 * Permission bits that a mode argument asks for. Numbers are taken as they are, text of octal digits is octal.
 * Throws SyntaxError where the text is neither octal nor symbolic.
 */
export function computeMode(wanted: unknown, context: ModeContext): number {
  if (typeof wanted === 'number' && Number.isInteger(wanted) && wanted >= 0)
    return wanted & ALL_BITS;
  const text = typeof wanted === 'string' ? wanted.trim() : '';
  if (/^(0o)?[0-7]+$/.test(text)) return Number.parseInt(text.replace('0o', ''), 8) & ALL_BITS;
  return text.split(',').reduce((mode, clause) => {
    const [, who = '', operations] = CLAUSE.exec(clause) ?? [];
    if (operations === undefined) throw badMode(wanted);
    return applyClause(mode, who, operations, context);
  }, context.current & ALL_BITS);
}

/** Whether the result depends on the mode before. */
export function isSymbolicMode(wanted: unknown): boolean {
  return typeof wanted === 'string' && !/^\s*(0o)?[0-7]+\s*$/.test(wanted);
}

/** Four octal digits, as stat shows modes: `0644`. */
export function formatMode(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}

function badMode(wanted: unknown): SyntaxError {
  return new SyntaxError(
    `mode "${String(wanted)}" is neither octal ("0644") nor symbolic ("u=rw,g=r,o=r")`,
  );
}

function applyClause(mode: number, who: string, operations: string, context: ModeContext): number {
  const everybody = who === '' || who.includes('a');
  const classes = (['u', 'g', 'o'] as const).filter((each) => everybody || who.includes(each));
  const allowed = who === '' ? ~context.umask : ALL_BITS;
  let result = mode;
  for (const [, operator = '', permissions = ''] of operations.matchAll(OPERATION)) {
    const before = result;
    for (const each of classes) {
      const bits = bitsFor(each, permissions, before, { ...context, allowed });
      result = applyOperator(result, operator, bits, CLASS_BITS[each]);
    }
  }
  return result;
}

function bitsFor(
  who: Who,
  permissions: string,
  mode: number,
  { isDirectory, allowed }: { readonly isDirectory: boolean; readonly allowed: number },
): number {
  if (/^[ugo]$/.test(permissions)) {
    const from = permissions as Who; // The pattern admits nothing else.
    return ((mode >> SHIFT[from]) & 0o7) << SHIFT[who];
  }
  const read = permissions.includes('r') ? 0o4 : 0;
  const write = permissions.includes('w') ? 0o2 : 0;
  const execute = permissions.includes('x') ? 0o1 : 0;
  const mayExecute = isDirectory || (mode & ANY_EXECUTE) !== 0;
  // The umask does not hold back `X`: it only repeats what the file already grants.
  const repeated = permissions.includes('X') && mayExecute ? 0o1 << SHIFT[who] : 0;
  return (
    (((read | write | execute) << SHIFT[who]) & allowed) | repeated | specialBits(who, permissions)
  );
}

function specialBits(who: Who, permissions: string): number {
  const letter = who === 'o' ? 't' : 's';
  return permissions.includes(letter) ? SPECIAL_BIT[who] : 0;
}

function applyOperator(mode: number, operator: string, bits: number, classBits: number): number {
  if (operator === '+') return mode | bits;
  if (operator === '-') return mode & ~bits;
  return (mode & ~classBits) | bits;
}
