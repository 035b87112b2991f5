/** Lines of `/etc/fstab` that make a host swap. */

const MARK = '#tsprov-swap-off# ';

/** What the lines that are in force swap to. */
export function fstabSwaps(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const [what = '', , type] = line.trim().split(/\s+/);
    return type === 'swap' && !what.startsWith('#') ? [what] : [];
  });
}

/** The text with those lines commented out. */
export function withoutSwap(text: string): string {
  const lines = text.split('\n');
  return lines.map((line) => (fstabSwaps(line).length > 0 ? MARK + line : line)).join('\n');
}

/** The text with the lines in force again that `withoutSwap` commented out. */
export function withSwapAgain(text: string): string {
  const lines = text.split('\n');
  return lines.map((line) => (line.startsWith(MARK) ? line.slice(MARK.length) : line)).join('\n');
}
