/** What there is in Ansible's world, whether it is built here or not. */
import { didYouMean } from '../../shared/errors.ts';
import { ANSIBLE_NAMES, REDIRECTS } from './ansible-names.ts';

const CORE = 'ansible.builtin';
const FULL_NAME = /^([a-z_]\w*\.[a-z_]\w*)\.([a-z_]\w*(?:\.[a-z_]\w*)*)$/i;

export type NameKind = keyof typeof ANSIBLE_NAMES;

const tables = new Map<NameKind, ReadonlyMap<string, ReadonlySet<string>>>();

/** The names of a kind, by collection. */
function table(kind: NameKind): ReadonlyMap<string, ReadonlySet<string>> {
  let made = tables.get(kind);
  if (made === undefined) {
    const entries = Object.entries(ANSIBLE_NAMES[kind]);
    made = new Map(entries.map(([collection, names]) => [collection, new Set(names.split(' '))]));
    tables.set(kind, made);
  }
  return made;
}

/** The collection and the short name of a name that is written in full. */
export function splitFullName(
  name: string,
): readonly [collection: string, short: string] | undefined {
  const [, collection, short] = FULL_NAME.exec(name) ?? [];
  if (collection === undefined || short === undefined) return undefined;
  return [collection === 'ansible.legacy' ? CORE : collection, short];
}

/**
 * The full name of what Ansible has under a name, or undefined where nobody knows it. Of collections that are not
 * listed every full name counts; of listed ones those that look like no misspelling, for a collection grows.
 */
export function ansibleName(
  kind: NameKind,
  name: string,
  collections: readonly string[] = [],
): string | undefined {
  const full = splitFullName(name);
  if (full !== undefined) return inCollection(kind, ...full);
  const listed = [...collections, CORE, ...table(kind).keys()];
  const redirect = kind === 'modules' ? redirects().get(name) : undefined;
  const own = collections.find((each) => table(kind).get(each)?.has(name) === true);
  if (own === undefined && redirect !== undefined) return redirect;
  const collection = listed.find((each) => table(kind).get(each)?.has(name) === true);
  return collection === undefined ? undefined : `${collection}.${name}`;
}

function inCollection(kind: NameKind, collection: string, short: string): string | undefined {
  const names = table(kind).get(collection);
  if (names === undefined || names.has(short)) return `${collection}.${short}`;
  // What ansible-core gave away is still found under its name.
  if (collection === CORE) return kind === 'modules' ? ansibleName(kind, short) : undefined;
  return didYouMean(short, names) === undefined ? `${collection}.${short}` : undefined;
}

/** Whether all names of a collection are known. */
export function isListed(kind: NameKind, collection: string): boolean {
  return collection === 'ansible.legacy' || table(kind).has(collection);
}

/** The short names of a collection. */
export function ansibleNames(kind: NameKind, collection: string): Iterable<string> {
  return table(kind).get(collection) ?? [];
}

let redirected: ReadonlyMap<string, string> | undefined;

function redirects(): ReadonlyMap<string, string> {
  redirected ??= new Map(readRedirects());
  return redirected;
}

function* readRedirects(): Iterable<readonly [name: string, full: string]> {
  let collection = '';
  for (const word of REDIRECTS.split(' ')) {
    if (word.endsWith(':')) collection = word.slice(0, -1);
    else {
      const [name = '', own = name] = word.split('=');
      yield [name, `${collection}.${own}`];
    }
  }
}

/** What is said of something that Ansible has and tsprov has not; a name without a collection is of the user's own. */
export function notAvailable(what: string, full: string): string {
  const [collection, short] = splitFullName(full) ?? [];
  if (collection === undefined)
    return `the ${what} "${full}" is not available: it is written in Python`;
  return `the ${what} "${short}" of ${collection} is not available`;
}
