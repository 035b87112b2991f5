/** Label selectors as kubectl takes them. */
const NAME = '[A-Za-z0-9](?:[-\\w.]{0,61}[A-Za-z0-9])?';
const KEY = `(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?/)?${NAME}`;
const VALUE = `(?:${NAME})?`;
const SET = `\\(\\s*${VALUE}(?:\\s*,\\s*${VALUE})*\\s*\\)`;
const CONDITION = `\\s*(?:=|==|!=)\\s*${VALUE}|\\s+(?:in|notin)\\s*${SET}|\\s*[<>]\\s*-?\\d+`;
const REQUIREMENT = `\\s*(?:!\\s*${KEY}|${KEY}(?:${CONDITION})?)\\s*`;
const SELECTOR = new RegExp(`^${REQUIREMENT}(?:,${REQUIREMENT})*$`);

/** The problem of a selector. */
export function checkSelector(name: string, selector: string): readonly string[] {
  if (SELECTOR.test(selector)) return [];
  return [
    `${name} must be a label selector, such as app=shop,tier in (web, api), and not "${selector}"`,
  ];
}
