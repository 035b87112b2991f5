import {
  formatIp,
  formatNetwork,
  holds,
  type IpAddress,
  networkOf,
  parseIp,
  sizeOf,
  widthOf,
} from '../../../shared/ip-address.ts';
import { type Builtin, define } from '../builtin.ts';
import { TemplateError } from '../errors.ts';
import { isInt } from '../numbers.ts';
import { isText, type Val } from '../objects.ts';
import { textOf } from '../text.ts';
import { withPrefix } from './ip-queries.ts';
import { addressOf } from './ipaddr.ts';

function integerOf(value: Val): bigint | undefined {
  if (isInt(value, false)) return BigInt(value);
  return isText(value) && /^-?\d+$/.test(textOf(value)) ? BigInt(textOf(value)) : undefined;
}

/** The subnets of a network or the supernets of an address: how many there are, or the one asked for. */
function ipsubnet(value: Val, query: Val, index: Val): Val {
  const address = addressOf(value);
  if (address === undefined) return false;
  if (query === '' || query === null) return formatNetwork(address);
  const prefix = integerOf(query);
  if (prefix === undefined) return positionIn(address, query);
  if (prefix < 0n || prefix > BigInt(widthOf(address))) return false;
  const sized = { ...address, prefix: Number(prefix) };
  return sizeOf(address) > 1n ? subnet(address, sized, index) : supernet(address, sized, index);
}

function subnet(network: IpAddress, sized: IpAddress, index: Val): Val {
  const isLarger = sized.prefix < network.prefix;
  if (isLarger && index === 'x')
    throw new TemplateError(
      `a subnet of ${formatNetwork(network)} cannot have the prefix ${sized.prefix}`,
    );
  if (isLarger)
    return integerOf(index) === 0n
      ? `${formatIp(networkOf(network), network.version)}/${sized.prefix}`
      : false;
  const count = sizeOf(network) / sizeOf(sized);
  const wanted = integerOf(index);
  if (wanted === undefined) return String(count);
  const position = wanted < 0n ? wanted + count : wanted;
  if (position < 0n || position >= count) return false;
  return `${formatIp(networkOf(network) + position * sizeOf(sized), network.version)}/${sized.prefix}`;
}

function supernet(address: IpAddress, sized: IpAddress, index: Val): Val {
  const wanted = integerOf(index);
  if (wanted === undefined) return formatNetwork(sized);
  const count = widthOf(address) - sized.prefix;
  const position = Number(wanted < 0n ? wanted + BigInt(count) : wanted);
  if (position < 0 || position >= count) return false;
  return formatNetwork({ ...address, prefix: sized.prefix + position });
}

/** Where in a network an address or subnet stands, counted from 1. */
function positionIn(address: IpAddress, query: Val): Val {
  const network = parseIp(textOf(query));
  if (network === undefined) throw new TemplateError(`"${textOf(query)}" is no subnet`);
  if (!holds(network, address))
    throw new TemplateError(`${withPrefix(address)} is not in ${textOf(query)}`);
  return String((networkOf(address) - networkOf(network)) / sizeOf(address) + 1n);
}

/** The filter of subnets. */
export const ipSubnetFilters: readonly Builtin[] = [
  define('ipsubnet', "value, query='', index='x'", (_runtime, value, query, index) =>
    ipsubnet(value, query, index),
  ),
];
