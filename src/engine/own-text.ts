/**
 * Which plain text comes from the user's own files. A condition may be such text that went through variables
 * (`when: "{{ item.condition }}"`); text of a host, a command or a program is data and is never evaluated. A
 * string cannot carry a mark, so the texts themselves are remembered.
 */
const texts = new Set<string>();

/** Remembers text of the user's own files, and gives it back. */
export function ownText(text: string): string {
  texts.add(text);
  return text;
}

/** Whether the user has written this very text. */
export function isOwnText(text: string): boolean {
  return texts.has(text);
}
