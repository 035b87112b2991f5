import { TemplateError } from './errors.ts';
import { compareText } from './text.ts';

type Part = number | string;

function looseParts(version: string): readonly Part[] {
  const parts = version.split(/(\d+|[a-z]+|\.)/).filter((part) => part !== '' && part !== '.');
  return parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** Python's LooseVersion. Throws TemplateError where a number stands against letters. */
export function compareLoose(a: string, b: string): number {
  const [left, right] = [looseParts(a), looseParts(b)];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [x = 0, y = 0] = [left[i], right[i]];
    if (x === y) continue;
    if (typeof x !== typeof y) {
      throw new TemplateError(`versions "${a}" and "${b}" cannot be compared: ${x} against ${y}`);
    }
    return typeof x === 'number' ? Math.sign(x - Number(y)) : compareText(x, String(y));
  }
  return Math.sign(left.length - right.length);
}

function compareParts(a: readonly Part[], b: readonly Part[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = comparePart(a[i], b[i]);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** What is missing comes first, numbers come before texts. */
function comparePart(x: Part | undefined, y: Part | undefined): number {
  if (x === y) return 0;
  if (x === undefined) return -1;
  if (y === undefined) return 1;
  if (typeof x === 'number' && typeof y === 'number') return Math.sign(x - y);
  if (typeof x === 'string' && typeof y === 'string') return compareText(x, y);
  return typeof x === 'number' ? -1 : 1;
}

const STRICT = /^(\d+)\.(\d+)(?:\.(\d+))?(?:([ab])(\d+))?$/;

function strictParts(version: string): { release: readonly number[]; pre: readonly Part[] } {
  const match = STRICT.exec(version);
  if (match === null) throw new TemplateError(`"${version}" is no strict version`);
  const [, major, minor, patch = '0', letter, number] = match;
  const release = [major, minor, patch].map(Number);
  return { release, pre: letter === undefined ? ['c'] : [letter, Number(number)] };
}

/** Python's StrictVersion. Throws TemplateError on anything else than `1.2`, `1.2.3` and `1.2a1`. */
export function compareStrict(a: string, b: string): number {
  const [left, right] = [strictParts(a), strictParts(b)];
  return compareParts(left.release, right.release) || compareParts(left.pre, right.pre);
}

const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*))?(?:\+[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?$/;

function semverParts(version: string): {
  release: readonly number[];
  pre: readonly Part[] | undefined;
} {
  const match = SEMVER.exec(version);
  if (match === null) throw new TemplateError(`"${version}" is no semantic version`);
  const [, major, minor, patch, pre] = match;
  const parts = pre?.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  return { release: [major, minor, patch].map(Number), pre: parts };
}

/** Semantic versioning 2.0. Throws TemplateError on what is no such version. */
export function compareSemver(a: string, b: string): number {
  const [left, right] = [semverParts(a), semverParts(b)];
  const release = compareParts(left.release, right.release);
  if (release !== 0) return release;
  if (left.pre === undefined || right.pre === undefined) {
    return Number(left.pre === undefined) - Number(right.pre === undefined);
  }
  return compareParts(left.pre, right.pre);
}

const PEP440 =
  /^\s*v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(alpha|a|beta|b|preview|pre|c|rc)[-_.]?(\d*))?(?:-(\d+)|[-_.]?(post|rev|r)[-_.]?(\d*))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+([a-z\d]+(?:[-_.][a-z\d]+)*))?\s*$/i;

const PRE_ORDER: ReadonlyMap<string, number> = new Map([
  ['alpha', 0],
  ['a', 0],
  ['beta', 1],
  ['b', 1],
]);

function pep440Parts(version: string): readonly (readonly Part[])[] {
  const match = PEP440.exec(version);
  if (match === null) throw new TemplateError(`"${version}" is no version of PEP 440`);
  const [
    ,
    epoch = '0',
    release = '',
    preName,
    preNumber,
    dashPost,
    postName,
    postNumber,
    dev,
    devNumber,
    local,
  ] = match;
  const hasPost = dashPost !== undefined || postName !== undefined;
  const numbers = release.split('.').map(Number);
  while (numbers.length > 1 && numbers.at(-1) === 0) numbers.pop();
  return [
    [Number(epoch)],
    numbers,
    preKey(preName, preNumber, !hasPost && dev !== undefined),
    hasPost ? [Number(dashPost ?? postNumber ?? 0)] : [-1],
    dev === undefined ? [Number.POSITIVE_INFINITY] : [Number(devNumber)],
    localKey(local),
  ];
}

function preKey(
  name: string | undefined,
  number: string | undefined,
  devOnly: boolean,
): readonly Part[] {
  if (name !== undefined) return [PRE_ORDER.get(name.toLowerCase()) ?? 2, Number(number)];
  return [devOnly ? -1 : 3];
}

function localKey(local: string | undefined): readonly Part[] {
  if (local === undefined) return [];
  // Unlike elsewhere, texts come before numbers here: a mark in front of each says which it is.
  return local
    .toLowerCase()
    .split(/[-_.]/)
    .flatMap((part): Part[] => (/^\d+$/.test(part) ? [1, Number(part)] : [0, part]));
}

/** Versions of Python packages, PEP 440. Throws TemplateError on what is no such version. */
export function comparePep440(a: string, b: string): number {
  const [left, right] = [pep440Parts(a), pep440Parts(b)];
  for (const [index, part] of left.entries()) {
    const difference = compareParts(part, right[index] ?? []);
    if (difference !== 0) return difference;
  }
  return 0;
}
