import { type Builtin, define } from '../builtin.ts';
import { truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { escapeHtml, stripTags } from '../html.ts';
import { membersOf, requireMap } from '../iterate.ts';
import { toAmount } from '../numbers.ts';
import { Markup, type Runtime, Undefined, type Val } from '../objects.ts';
import { partsOf, requireText, sliceText, textLength, textOf } from '../text.ts';

function xmlAttributes(value: Val, autoSpace: boolean): Markup {
  const members = [...requireMap(value, 'the value of xmlattr')].filter(
    ([, member]) => member !== null && !(member instanceof Undefined),
  );
  const texts = members.map(([key, member]) => {
    const name = textOf(key);
    if (/[\s/>=]/.test(name))
      throw new TemplateError(`${JSON.stringify(name)} is no attribute name`);
    return `${escapeHtml(name)}="${escapeHtml(member)}"`;
  });
  return new Markup((autoSpace && texts.length > 0 ? ' ' : '') + texts.join(' '));
}

/** Beginnings of links, such as `git://` or `tel:`. */
function schemesOf(value: Val, runtime: Runtime): readonly string[] {
  if (!truthy(value)) return [];
  return membersOf(value, runtime).map((item) => {
    const scheme = requireText(item, 'a scheme');
    if (/^[\w.+-]{2,}:\/{0,2}$/.test(scheme)) return scheme;
    throw new TemplateError(`${JSON.stringify(scheme)} is no beginning of a URI`);
  });
}

interface LinkStyle {
  readonly limit: number | undefined;
  readonly attributes: string;
  readonly schemes: readonly string[];
}

const LINK =
  /^(https?:\/\/|www\.)?(([\w%-]+\.)+)?([a-z]{2,63}|xn--[\w%]{2,59}|(\d{1,3}\.){3}\d{1,3}|localhost|\[[\da-f:]+\])?(:\d+)?([/?#]\S*)?$/i;
const COMMON = /\.(?:com|net|int|edu|gov|org|info|mil)$/i;
const MAIL = /^\S+@\w[\w.-]*\.\w+$/;

function linkOf(word: string, schemes: readonly string[]): string | undefined {
  if (/^https?:\/\//i.test(word) && LINK.test(word)) return word;
  if (word.startsWith('www.') && LINK.test(word)) return `https://${word}`;
  if (MAIL.test(word) && !word.includes(':')) return `mailto:${word}`;
  if (/^mailto:/.test(word) && MAIL.test(word.slice('mailto:'.length))) return word;
  if (schemes.some((scheme) => word.startsWith(scheme) && word !== scheme)) return word;
  return COMMON.test(word) && LINK.test(word) && !word.includes('@')
    ? `https://${word}`
    : undefined;
}

function linked(word: string, style: LinkStyle): string {
  const [, head = '', body = '', tail = ''] =
    /^((?:[(<]|&lt;)*)([\s\S]*?)((?:[)>.,\n]|&gt;)*)$/.exec(word) ?? [];
  const url = linkOf(body, style.schemes);
  if (url === undefined) return word;
  const isMail = url.startsWith('mailto:');
  if (isMail) return `${head}<a href="${url}">${body.replace(/^mailto:/, '')}</a>${tail}`;
  const isLong = style.limit !== undefined && textLength(body) > style.limit;
  if (isLong && !Number.isInteger(style.limit))
    throw new TemplateError('trim_url_limit must be an integer');
  const text = isLong ? `${sliceText(body, 0, style.limit)}...` : body;
  return `${head}<a href="${url}"${style.attributes}>${text}</a>${tail}`;
}

function urlize(value: Val, style: LinkStyle): Markup {
  const words = partsOf(escapeHtml(value), /(\s+)/);
  return new Markup(words.map((word) => linked(word, style)).join(''));
}

function linkAttributes(noFollow: boolean, target: Val, rel: Val): string {
  const rels = new Set(truthy(rel) ? requireText(rel, 'rel').split(/\s+/) : []);
  if (noFollow) rels.add('nofollow');
  rels.add('noopener');
  const targetText = truthy(target) ? ` target="${escapeHtml(target)}"` : '';
  return ` rel="${[...rels].filter(Boolean).sort().join(' ')}"${targetText}`;
}

/** Filters of HTML. */
export const htmlFilters: readonly Builtin[] = [
  define('escape e', 'value', (_runtime, value) => new Markup(escapeHtml(value))),
  define('forceescape', 'value', (_runtime, value) => new Markup(escapeHtml(textOf(value)))),
  define('safe', 'value', (_runtime, value) =>
    value instanceof Markup ? value : new Markup(textOf(value)),
  ),
  define('striptags', 'value', (_runtime, value) => stripTags(value)),
  define('xmlattr', 'value, autospace=True', (_runtime, value, autoSpace) =>
    xmlAttributes(value, truthy(autoSpace)),
  ),
  define(
    'urlize',
    'value, trim_url_limit=None, nofollow=False, target=None, rel=None, extra_schemes=None',
    (runtime, ...args) => {
      const [value = null, limit = null, noFollow = false, ...others] = args;
      const [target = null, rel = null, schemes = null] = others;
      const attributes = linkAttributes(truthy(noFollow), target, rel);
      const most = limit === null ? undefined : toAmount(limit, 'trim_url_limit');
      return urlize(value, { limit: most, attributes, schemes: schemesOf(schemes, runtime) });
    },
  ),
];
