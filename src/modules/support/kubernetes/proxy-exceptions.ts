import { BlockList, isIP } from 'node:net';

/** Whether a host is one of those that are reached without a proxy: names, domains, addresses, ranges, `*`. */
export function isWithoutProxy(host: string, exceptions: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  const entries = exceptions.split(',').map((each) => each.trim().toLowerCase());
  return entries.filter(Boolean).some((entry) => entry === '*' || isCovered(name, entry));
}

function isCovered(name: string, entry: string): boolean {
  const [address = '', prefix] = entry.split('/');
  const version = isIP(address);
  if (version === 0) {
    const domain = entry.replace(/^\*?\./, '');
    return name === domain || name.endsWith(`.${domain}`);
  }
  if (isIP(name) !== version) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const range = new BlockList();
  range.addSubnet(address, Number(prefix ?? (version === 4 ? 32 : 128)), family);
  return range.check(name, family);
}
