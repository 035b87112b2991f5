import { type Builtin, define } from '../builtin.ts';
import { truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { splitUrl } from '../filters/urls.ts';
import { tryIterate } from '../iterate.ts';
import { isLower, isUpper } from '../methods/string-case.ts';
import { isText, type Runtime, type Val } from '../objects.ts';
import { compileRegex } from '../regex.ts';
import { requireText, textOf } from '../text.ts';

function regexTest(
  type: Val,
  [value = null, pattern = '', ignoreCase = false, multiline = false]: readonly Val[],
): boolean {
  const source = requireText(pattern, 'pattern');
  const flags = { ignoreCase: truthy(ignoreCase), multiline: truthy(multiline) };
  const anchored = ANCHORS.get(requireText(type, 'match_type'))?.(source);
  if (anchored === undefined) throw new TemplateError(`match_type "${textOf(type)}" is not known`);
  return compileRegex(anchored, flags).exec(textOf(value)) !== undefined;
}

/** Inline flags at the start of a pattern stay there. */
function wrapped(pattern: string, before: string, after: string): string {
  const flags = /^\(\?[aiLmsux]+\)/.exec(pattern)?.[0] ?? '';
  return `${flags}${before}(?:${pattern.slice(flags.length)})${after}`;
}

const ANCHORS: ReadonlyMap<string, (pattern: string) => string> = new Map([
  ['search', (pattern) => pattern],
  ['match', (pattern) => wrapped(pattern, '\\A', '')],
  ['fullmatch', (pattern) => wrapped(pattern, '\\A', '\\Z')],
]);

const OPTIONS = "value='', pattern='', ignorecase=False, multiline=False";

/** The scheme of a URL, empty where it has none; undefined where it is no URL at all. */
function schemeOf(url: string): string | undefined {
  try {
    return splitUrl(url).scheme;
  } catch {
    return undefined;
  }
}

function isUri(runtime: Runtime, value: Val, schemes: Val): boolean {
  if (!isText(value) && truthy(value)) return false;
  const scheme = schemeOf(isText(value) ? textOf(value) : '');
  if (scheme === undefined) return false;
  // Nothing to choose from allows everything, and what holds no schemes allows none.
  if (!truthy(schemes)) return true;
  return tryIterate(schemes, runtime)?.includes(scheme) ?? false;
}

function isUrl(runtime: Runtime, value: Val, schemes: Val): boolean {
  return isUri(runtime, value, schemes) && splitUrl(textOf(value)).netloc !== '';
}

/** Tests of texts. */
export const textTests: readonly Builtin[] = [
  define('match', OPTIONS, (_runtime, ...args) => regexTest('match', args)),
  define('search', OPTIONS, (_runtime, ...args) => regexTest('search', args)),
  define('regex', `${OPTIONS}, match_type='search'`, (_runtime, ...args) =>
    regexTest(args[4] ?? null, args.slice(0, 4)),
  ),
  define('lower', 'value', (_runtime, value) => isLower(textOf(value))),
  define('upper', 'value', (_runtime, value) => isUpper(textOf(value))),
  define('uri', 'value, schemes=None', isUri),
  define('url', 'value, schemes=None', isUrl),
  define('urn', 'value', (runtime, value) => isUri(runtime, value, ['urn'])),
  // Vaulted variables are opened before a test sees them, and vault data in a text counts as text in Ansible too.
  define('vault_encrypted', 'value', () => false),
];
