import { type Conversation, defineConversation, type Result, TaskError } from '../engine/module.ts';
import { PythonRegex, RegexSyntaxError } from '../shared/python-regex.ts';
import {
  choice,
  type Infer,
  integer,
  list,
  object,
  optional,
  path,
  string,
} from '../shared/schema.ts';
import { CONNECTION_STATES } from './support/tcp-table.ts';
import { type Match, waitForPath, waitForPort, waitUntilDrained } from './support/waiting.ts';

const args = object({
  host: string('Host that the port is on, as the managed host sees it.', { default: '127.0.0.1' }),
  port: optional(integer('Port.')),
  path: optional(path('File or directory.')),
  state: choice(
    ['absent', 'drained', 'present', 'started', 'stopped'],
    'What to wait for: `started` and `present` that it is there, `stopped` and `absent` that it is not, `drained` ' +
      'that no connection to the port is left.',
    { default: 'started' },
  ),
  search_regex: optional(
    string('Pattern that the file, or what the port says first, has to match.'),
  ),
  timeout: integer('Seconds until the task fails; without port and path, the seconds to wait.', {
    default: 300,
  }),
  connect_timeout: integer('Seconds for one attempt to connect.', { default: 5 }),
  delay: integer('Seconds before the first look.', { default: 0 }),
  sleep: integer('Seconds between two looks.', { default: 1 }),
  exclude_hosts: optional(
    list(string('An address.'), 'Remote ends whose connections do not count for `drained`.'),
  ),
  active_connection_states: list(
    string('A state of TCP.'),
    'States of connections that count for `drained`.',
    { default: ['ESTABLISHED', 'FIN_WAIT1', 'FIN_WAIT2', 'SYN_RECV', 'SYN_SENT', 'TIME_WAIT'] },
  ),
  msg: optional(string('What the task fails with, instead of its own words.')),
});
type Args = Infer<typeof args>;

export const waitFor = defineConversation({
  name: 'wait_for',
  aliases: ['ansible.builtin.wait_for'],
  summary: 'Wait for a port, a file or some time.',
  args,

  examples: [
    { title: 'Wait until the API server answers', args: { port: 6443, timeout: 60 } },
    {
      title: 'Wait until a line was logged',
      args: { path: '/var/log/app.log', search_regex: 'ready' },
    },
    { title: 'Wait until a lock is gone', args: { path: '/run/app.lock', state: 'absent' } },
  ],

  returns: {
    elapsed: 'Seconds that were waited.',
    state: 'The argument `state`; for a path that is there, its type.',
    port: 'The argument `port`.',
    path: 'The argument `path`.',
    search_regex: 'The argument `search_regex`.',
    match_groups: 'What the groups of the pattern matched.',
    match_groupdict: 'What the named groups of the pattern matched.',
    mode: 'Permission bits of the path, e.g. "0644".',
    owner: 'Owner of the path.',
    group: 'Group of the path.',
    uid: 'Number of the owner of the path.',
    gid: 'Number of the group of the path.',
    size: 'Size of the path in bytes.',
  },

  resultInCheckMode: () => ({
    skipped: true,
    msg: 'remote module (wait_for) does not support check mode',
  }),

  async run(talk, given) {
    const objection = objectionTo(given);
    if (objection !== undefined) throw new TaskError(objection, { result: { elapsed: 0 } });
    const pattern = compile(given.search_regex);
    const start = Date.now();
    const elapsed = () => Math.floor((Date.now() - start) / 1000);
    if (given.delay > 0) await talk.sleep(given.delay * 1000);
    const match = await waitAsAsked(talk, given, {
      pattern,
      deadline: start + given.timeout * 1000,
    });
    if (match === undefined) {
      throw new TaskError(given.msg ?? complaint(given), { result: { elapsed: elapsed() } });
    }
    return {
      result: { ...describe(given, match), elapsed: elapsed(), ...(await pathFacts(talk, given)) },
    };
  },
});

function objectionTo({
  port,
  path: file,
  host,
  state,
  exclude_hosts: excluded,
  active_connection_states: states,
}: Args) {
  const onlyPort = `state=${state} should only be used for checking a port in the wait_for module`;
  const unknown = states.find((each) => !Object.hasOwn(CONNECTION_STATES, each));
  if (port !== undefined && file !== undefined) {
    return 'port and path parameter can not both be passed to wait_for';
  }
  const odd = [host, ...(excluded ?? [])].find((each) => each.startsWith('-'));
  if (odd !== undefined) return `"${odd}" is not the name of a host`;
  if (file !== undefined && (state === 'stopped' || state === 'drained')) return onlyPort;
  if (excluded !== undefined && state !== 'drained')
    return 'exclude_hosts should only be with state=drained';
  return unknown === undefined ? undefined : `unknown active_connection_state (${unknown}) defined`;
}

function compile(pattern: string | undefined): PythonRegex | undefined {
  try {
    return pattern === undefined ? undefined : new PythonRegex(pattern, { multiline: true });
  } catch (error) {
    if (!(error instanceof RegexSyntaxError)) throw error;
    throw new TaskError(`Invalid regular expression: ${error.message}`);
  }
}

interface Wait {
  readonly pattern: PythonRegex | undefined;
  readonly deadline: number;
}

/** The match (an empty one where there is no pattern), or undefined where time was up. */
async function waitAsAsked(
  talk: Conversation,
  given: Args,
  wait: Wait,
): Promise<Match | undefined> {
  const { port, path: file, state, host, connect_timeout: connectTimeout, sleep } = given;
  const common = { ...wait, sleep };
  const isThere = state === 'started' || state === 'present';
  if (file !== undefined) return waitForPath(talk, { ...common, file, isThere });
  if (port === undefined) {
    await talk.sleep(given.timeout * 1000);
    return { groups: [], named: {} };
  }
  const target = { host, port, connectTimeout };
  if (state !== 'drained') return waitForPort(talk, { ...common, target, isThere });
  const excluded = given.exclude_hosts ?? [];
  return waitUntilDrained(talk, {
    ...common,
    target,
    excluded,
    states: given.active_connection_states,
  });
}

function complaint({ host, port, path: file, state, search_regex: pattern }: Args): string {
  const what = port === undefined ? (file ?? '') : `${host}:${port}`;
  if (state === 'absent' || state === 'stopped') {
    const end = port === undefined ? 'be absent.' : 'stop.';
    return `Timeout when waiting for ${what} to ${end}`;
  }
  if (state === 'drained') return `Timeout when waiting for ${what} to drain`;
  if (pattern !== undefined) return `Timeout when waiting for search string ${pattern} in ${what}`;
  return `Timeout when waiting for ${port === undefined ? 'file ' : ''}${what}`;
}

function describe(
  { state, port, path: file, search_regex: pattern }: Args,
  { groups, named }: Match,
): Result {
  return {
    state,
    port: port ?? null,
    path: file ?? null,
    search_regex: pattern ?? null,
    match_groups: groups,
    match_groupdict: named,
  };
}

async function pathFacts({ host }: Conversation, { path: file }: Args): Promise<Result> {
  const found = file === undefined ? undefined : await host.path(file);
  if (found === undefined) return {};
  const { type, uid, gid, owner, group, size, mode } = found;
  return { state: type, uid, gid, owner, group, size, mode: mode.toString(8).padStart(4, '0') };
}
