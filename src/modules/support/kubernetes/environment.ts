/** What the environment of a task says about the cluster. */
import type { Reader } from '../../../engine/module.ts';
import { coerce } from '../../../shared/coerce.ts';
import { type Command, joinCommands, plainName, sh } from '../../../shared/shell.ts';
import { type ConnectionArgs, connectionArgs } from './connection-args.ts';

/** Variables by their names; those that are not set are left out. */
export type Environment = Readonly<Record<string, string>>;

const PREFIX = 'K8S_AUTH_';
const PROXY_HEADERS = ['proxy_basic_auth', 'basic_auth', 'user_agent'] as const;
const OTHERS = ['KUBECONFIG', 'HOME', 'KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT'];

const NAMES = [
  ...Object.entries(connectionArgs).flatMap(([name, { aliases }]) => [name, ...aliases]),
  ...PROXY_HEADERS.map((name) => `proxy_headers_${name}`),
].map((name) => PREFIX + name.toUpperCase());

/** Reads what the environment of the task's user, and that of the task, say about clusters. One read. */
export async function readEnvironment(host: Pick<Reader, 'read'>): Promise<Environment> {
  const names = [...NAMES, ...OTHERS];
  const { stdout } = await host.read(joinCommands(names.map(printed), '\n'));
  const answers = stdout.split('\0');
  const given = names.flatMap((name, i) => {
    const answer = answers[i] ?? '';
    return answer.startsWith('=') ? [[name, answer.slice(1)] as const] : [];
  });
  return Object.fromEntries(given);
}

/** Prints `=` and the value, or nothing, and a NUL. */
function printed(name: string): Command {
  const variable = plainName(name);
  return sh`printf '%s\\0' "\${${variable}+=\${${variable}}}"`;
}

/** The arguments, with those that are left out taken from `K8S_AUTH_…`: by an argument's own name, else its alias. */
export function withEnvironment(args: ConnectionArgs, env: Environment): ConnectionArgs {
  const found = Object.entries(connectionArgs).flatMap(([name, field]) => {
    const text = [name, ...field.aliases]
      .map((each) => env[PREFIX + each.toUpperCase()])
      .find((each) => each !== undefined && each !== '');
    return text === undefined ? [] : [[name, parsedValue(name, text)] as const];
  });
  const headers = PROXY_HEADERS.flatMap((name) => {
    const text = env[`${PREFIX}PROXY_HEADERS_${name.toUpperCase()}`];
    return text === undefined ? [] : [[name, text] as const];
  });
  const given = Object.entries(args).filter(([, value]) => value !== undefined);
  return {
    ...(headers.length > 0 && { proxy_headers: Object.fromEntries(headers) }),
    ...Object.fromEntries(found),
    ...Object.fromEntries(given),
  } as ConnectionArgs; // Its members, as they are declared, from both.
}

/** A boolean is true unless it is 0, false or no; a list is split at commas. */
function parsedValue(name: string, text: string): unknown {
  const field = connectionArgs[name as keyof typeof connectionArgs]; // A name of its own table.
  if (field.kind === 'bool') return !['0', 'false', 'no'].includes(text.toLowerCase());
  if (field.kind === 'list') return text.split(',').filter((part) => part !== '');
  return field.kind === 'raw' ? text : coerce(field, text);
}
