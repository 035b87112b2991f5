import {
  formatIp,
  holds,
  type IpAddress,
  networkOf,
  parseIp,
  sizeOf,
  widthOf,
} from '../../../shared/ip-address.ts';
import { Budget } from '../budget.ts';
import { type Builtin, define } from '../builtin.ts';
import { truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { isInt, isNumber } from '../numbers.ts';
import { isList, isText, type Val } from '../objects.ts';
import { textOf } from '../text.ts';
import {
  IP_QUERIES,
  type IpQuery,
  ipText,
  plainText,
  type Queried,
  withPrefix,
  wrapped,
} from './ip-queries.ts';

/** The address that a value names, or undefined. */
export function addressOf(value: Val): Queried | undefined {
  if (!isText(value) && !isInt(value, false)) return undefined;
  if (!isText(value) && BigInt(value) <= 0n) return undefined;
  const text = textOf(value);
  const address = parseIp(text);
  if (address === undefined) return undefined;
  const isNumeric = /^\d+(?:\/|$)/.test(text);
  return { ...address, text: isNumeric ? withPrefix(address) : text };
}

/** The address at an index of the network, from the end where the index is negative. */
function indexed(index: bigint): IpQuery {
  return (address) => {
    const size = sizeOf(address);
    if (size === 1n) return address.hasPrefix ? withPrefix(address) : ipText(address);
    const position = index < 0n ? index + size : index;
    if (position < 0n || position >= size) return false;
    return `${formatIp(networkOf(address) + position, address.version)}/${address.prefix}`;
  };
}

function membership(network: IpAddress): IpQuery {
  return (address) =>
    holds(network, { ...address, prefix: widthOf(address) }) ? address.text : null;
}

function queryOf(query: Val): IpQuery {
  if (isNumber(query) && typeof query !== 'boolean' && isInt(query)) return indexed(BigInt(query));
  const name = textOf(query);
  if (name === '') return plainText;
  const known = IP_QUERIES.get(name);
  if (known !== undefined) return known;
  if (/^-?\d+$/.test(name)) return indexed(BigInt(name));
  const network = parseIp(name);
  if (network !== undefined) return membership(network);
  throw new TemplateError(`ipaddr does not know the query "${name}"`);
}

function versionFits(address: IpAddress, version: Val): boolean {
  return version === false || version === null || address.version === Number(textOf(version));
}

/** The ipaddr filter for one value or a list of values; a list keeps only what gives something. */
export function ipaddr(value: Val, query: Val, version: Val, budget = new Budget()): Val {
  if (value === null) throw new TemplateError('ipaddr needs a value, not None');
  if (isList(value)) {
    budget.visit(value.length);
    return value.map((item) => ipaddr(item, query, version, budget)).filter(truthy);
  }
  const address = addressOf(value);
  if (address === undefined) return false;
  const asked =
    version === 6 && !textOf(value).includes('.') ? numberedV6(address, value) : address;
  return versionFits(asked, version) ? queryOf(query)(asked) : false;
}

/** A small whole number, which would stand for an address of version 4, as one of version 6. */
function numberedV6(address: Queried, value: Val): Queried {
  if (address.version === 6 || !/^\d+$/.test(textOf(value))) return address;
  return { ...address, version: 6, prefix: 128 };
}

/** ipwrap: addresses of version 6 in brackets, everything else unchanged. */
function ipwrap(value: Val, query: Val, budget = new Budget()): Val {
  if (isList(value)) {
    budget.visit(value.length);
    return value.map((item) => ipwrap(item, query, budget));
  }
  if (typeof value === 'number' || typeof value === 'bigint')
    throw new TemplateError('ipwrap takes texts');
  const found = truthy(ipaddr(value, query, false)) ? addressOf(value) : undefined;
  return found === undefined ? value : wrapped(found);
}

function hexOf(value: Val, delimiter: Val): Val {
  const address = addressOf(value);
  if (!isText(value) || address?.version !== 4 || address.hasPrefix)
    throw new TemplateError('ip4_hex takes an address of version 4');
  const octets = ipText(address)
    .split('.')
    .map((octet) => Number(octet).toString(16).padStart(2, '0'));
  return octets.join(textOf(delimiter));
}

/** The filters that ask about addresses. */
export const ipaddrFilters: readonly Builtin[] = [
  define(
    'ipaddr',
    "value, query='', version=False, alias='ipaddr'",
    (_runtime, value, query, version) => ipaddr(value, query, version),
  ),
  define('ipv4', "value, query=''", (_runtime, value, query) => ipaddr(value, query, 4)),
  define('ipv6', "value, query=''", (_runtime, value, query) => ipaddr(value, query, 6)),
  define('ipwrap', "value, query=''", (_runtime, value, query) => ipwrap(value, query)),
  define('ip4_hex', "arg, delimiter=''", (_runtime, value, delimiter) => hexOf(value, delimiter)),
];
