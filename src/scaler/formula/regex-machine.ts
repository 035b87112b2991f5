/** Runs a regular expression over a text: all the states that it may be in go on together, a character at a time. */

/** What a state waits for before it goes on. */
export type State =
  | { readonly kind: 'character'; readonly fits: (character: string) => boolean; next: number }
  | { readonly kind: 'place'; readonly fits: (text: string, at: number) => boolean; next: number }
  | { readonly kind: 'split'; next: number; other: number }
  | { readonly kind: 'end' };

/** Whether the machine comes to its end somewhere in the text. */
export function runMachine(states: readonly State[], start: number, text: string): boolean {
  let current = new Set<number>();
  for (let at = 0; ; ) {
    follow(states, start, text, at, current);
    if ([...current].some((state) => states[state]?.kind === 'end')) return true;
    if (at >= text.length) return false;
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    const next = new Set<number>();
    for (const index of current) {
      const state = states[index];
      if (state?.kind === 'character' && state.fits(character)) {
        follow(states, state.next, text, at + character.length, next);
      }
    }
    current = next;
    at += character.length;
  }
}

/** Adds a state, and those that it reaches without a character. */
function follow(
  states: readonly State[],
  first: number,
  text: string,
  at: number,
  found: Set<number>,
): void {
  const waiting = [first];
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    if (found.has(index)) continue;
    found.add(index);
    const state = states[index];
    if (state?.kind === 'split') waiting.push(state.other, state.next);
    if (state?.kind === 'place' && state.fits(text, at)) waiting.push(state.next);
  }
}
