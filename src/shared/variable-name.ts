/** Words that the template language reads as constants. */
const CONSTANTS = new Set(['True', 'true', 'False', 'false', 'None', 'none']);

/** Whether a name can be a variable: an identifier that is no constant; other words of Python and Jinja may be one. */
export function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !CONSTANTS.has(name);
}

/** What to do about a name that cannot be a variable. */
export const VARIABLE_NAME_RULE =
  'start with a letter or an underscore, go on with letters, digits and underscores; true, false and none are no names';
