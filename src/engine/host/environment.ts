import { TaskError } from '../../shared/errors.ts';
import { quote } from '../../shared/shell.ts';

/** Variables of the `environment` keyword, rendered. */
export type Environment = Readonly<Record<string, string>>;

/** A script that starts with the exports of the task's environment. Throws TaskError on a name no shell accepts. */
export function withEnvironment(environment: Environment, script: string): string {
  const names = Object.keys(environment);
  const exports = names.map(
    (name) => `export ${checked(name)}=${quote(environment[name] ?? '')}\n`,
  );
  return exports.join('') + script;
}

function checked(name: string): string {
  if (/^[A-Za-z_]\w*$/.test(name)) return name;
  throw new TaskError(`environment variable "${name}" has a name that no shell accepts`, {
    hint: 'use letters, digits and underscores',
  });
}
