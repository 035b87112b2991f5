/** Ranges of pod addresses: well-formed, and apart from each other. Pure. */
import { formatIp, lastOf, networkOf, parseIp, widthOf } from '../../shared/ip-address.ts';

/** A range and whose it is. */
export interface NamedRange {
  readonly owner: string;
  readonly text: string;
}

/** A node needs a network, a gateway and a broadcast address beside those of its pods. */
const FEWEST_HOST_BITS = 3;

/** What is wrong with one range; undefined where it is well-formed. */
export function rangeProblem({ owner, text }: NamedRange): string | undefined {
  const range = parseIp(text);
  const example = 'give a range such as 10.200.1.0/24';
  if (range === undefined || !/[.:].*\/\d+$/.test(text)) {
    return `the range of ${owner}, "${text}", is not a network in CIDR notation (${example})`;
  }
  const network = formatIp(networkOf(range), range.version);
  if (networkOf(range) !== range.ip) {
    return `the range of ${owner}, "${text}", does not start at its network address (give ${network}/${range.prefix})`;
  }
  if (widthOf(range) - range.prefix < FEWEST_HOST_BITS) {
    return `the range of ${owner}, "${text}", has no room for pods (${example})`;
  }
  return undefined;
}

/** Every pair that shares addresses, in words: ranges with each other and with those that are reserved. */
export function overlaps(ranges: readonly NamedRange[], reserved: readonly NamedRange[]): string[] {
  return ranges.flatMap((range, i) =>
    [...ranges.slice(i + 1), ...reserved]
      .filter((other) => doOverlap(range.text, other.text))
      .map(
        (other) =>
          `the ranges of ${range.owner} (${range.text}) and ${other.owner} (${other.text}) overlap`,
      ),
  );
}

function doOverlap(a: string, b: string): boolean {
  const [one, two] = [parseIp(a), parseIp(b)];
  if (one === undefined || two === undefined || one.version !== two.version) return false;
  return networkOf(one) <= lastOf(two) && networkOf(two) <= lastOf(one);
}
