/** Order of Debian package versions (deb-version(7)): `1:2.0~rc1-1` is epoch, upstream version and revision. */

/** Negative when `a` is older than `b`. */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [parts(a), parts(b)];
  return (
    one.epoch - other.epoch ||
    compareParts(one.upstream, other.upstream) ||
    compareParts(one.revision, other.revision)
  );
}

function parts(version: string): { epoch: number; upstream: string; revision: string } {
  const [, epoch, rest = ''] = /^(?:(\d+):)?(.*)$/s.exec(version) ?? [];
  const dash = rest.lastIndexOf('-');
  return {
    epoch: Number(epoch ?? 0),
    upstream: dash === -1 ? rest : rest.slice(0, dash),
    revision: dash === -1 ? '' : rest.slice(dash + 1),
  };
}

/** Compares runs of other characters and of digits in turn. */
function compareParts(a: string, b: string): number {
  const [one, other] = [runs(a), runs(b)];
  for (let i = 0; i < Math.max(one.length, other.length); i++) {
    const difference =
      i % 2 === 0
        ? compareText(one[i] ?? '', other[i] ?? '')
        : compareDigits(one[i] ?? '', other[i] ?? '');
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Text, digits, text, digits, …; the first may be empty. */
function runs(text: string): string[] {
  return [...text.matchAll(/(\D*)(\d*)/g)].flatMap(([, other = '', digits = '']) => [
    other,
    digits,
  ]);
}

function compareDigits(a: string, b: string): number {
  const [one, other] = [BigInt(a || 0), BigInt(b || 0)];
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function compareText(a: string, b: string): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = rank(a[i]) - rank(b[i]);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** `~` comes before the end, letters before everything else. */
function rank(char: string | undefined): number {
  if (char === '~') return -1;
  if (char === undefined) return 0;
  return /[A-Za-z]/.test(char) ? char.charCodeAt(0) : char.charCodeAt(0) + 256;
}
