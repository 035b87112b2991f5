/** Keeps the kubeconfig of a service account in a file, and its token fresh. */
import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { ApiClient } from '../../kubernetes/api-client.ts';
import { ApiError } from '../../kubernetes/api-error.ts';
import { patientClock } from '../../kubernetes/clock.ts';
import type { ClusterAccess } from '../../kubernetes/credentials.ts';
import { readAccess } from '../../kubernetes/kubeconfig.ts';
import { InvalidInput } from '../../shared/errors.ts';
import {
  type Account,
  type Endpoint,
  judgeKubeconfig,
  renderKubeconfig,
  type Verdict,
} from './kept-kubeconfig.ts';

export interface Keeping {
  /** The file that is kept. */
  readonly file: string;
  readonly account: Account;
  readonly lifetimeMs: number;
  /** Somebody who may make tokens for the account; asked for where the file itself is of no use. */
  readonly administrator: { readonly kubeconfig?: string; readonly context?: string };
  readonly userAgent: string;
  readonly nowMs: () => number;
}

/** What has to be done, as the file itself and the API server tell. @throws {ApiUnreachable, InvalidInput} */
export async function lookAtKubeconfig(keeping: Keeping): Promise<Verdict> {
  const { file, account, nowMs } = keeping;
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new InvalidInput([{ message: `${file} cannot be read: ${error.message}` }]);
  });
  const endpoint = await administratorAccess(keeping).then(endpointOf, () => undefined);
  const verdict = judgeKubeconfig(text, account, endpoint, nowMs());
  if (verdict.action === 'make' || !(await isRefused(keeping))) return verdict;
  return { action: 'make', reason: 'the API server refuses its token' };
}

/** Writes the file where it has to be; gives what was found before. @throws {ApiError, ApiUnreachable, InvalidInput} */
export async function keepKubeconfig(keeping: Keeping): Promise<Verdict> {
  const verdict = await lookAtKubeconfig(keeping);
  if (verdict.action === 'keep') return verdict;
  const isRenewed = verdict.action === 'renew' && (await renew(keeping));
  if (!isRenewed) await write(await administratorAccess(keeping), keeping);
  return verdict;
}

/** By the account's own right to tokens, which may have been taken from it. */
async function renew(keeping: Keeping): Promise<boolean> {
  try {
    await write(await readAccess({ kubeconfig: keeping.file }), keeping);
    return true;
  } catch (error) {
    if (error instanceof ApiError && [401, 403].includes(error.code)) return false;
    throw error;
  }
}

async function write(access: ClusterAccess, keeping: Keeping): Promise<void> {
  const { file, account, lifetimeMs } = keeping;
  const token = await withClient(access, keeping, (client) =>
    requestToken(client, account, lifetimeMs),
  );
  const text = renderKubeconfig({ endpoint: await endpointOf(access), token }, account);
  const unfinished = `${file}.${randomUUID()}`;
  try {
    await writeSynced(unfinished, text);
    await rename(unfinished, file);
  } catch (cause) {
    await rm(unfinished, { force: true });
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new InvalidInput([{ message: `${file} cannot be written: ${problem}` }], { cause });
  }
}

async function requestToken(
  client: ApiClient,
  { namespace, name }: Account,
  lifetimeMs: number,
): Promise<string> {
  const accounts = { group: '', version: 'v1', resource: 'serviceaccounts' };
  const answer = await client.create<{ readonly status: { readonly token: string } }>(
    { ...accounts, namespace, name, subresource: 'token' },
    {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: Math.ceil(lifetimeMs / 1000) },
    },
  );
  return answer.status.token;
}

/** Whether the API server knows the token no more: the account may have been made anew. */
async function isRefused(keeping: Keeping): Promise<boolean> {
  const access = await readAccess({ kubeconfig: keeping.file });
  return withClient(access, keeping, async (client) => {
    try {
      await client.getRaw('/version');
      return false;
    } catch (error) {
      if (error instanceof ApiError && error.code === 401) return true;
      if (error instanceof ApiError && error.code === 403) return false;
      throw error;
    }
  });
}

async function withClient<T>(
  access: ClusterAccess,
  { userAgent }: Keeping,
  use: (client: ApiClient) => Promise<T>,
): Promise<T> {
  const client = new ApiClient({ access, userAgent, clock: patientClock });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

function administratorAccess({ administrator }: Keeping): Promise<ClusterAccess> {
  return readAccess(administrator);
}

async function endpointOf(access: ClusterAccess): Promise<Endpoint> {
  const { tls } = await access.credentials();
  return {
    server: access.server.href.replace(/\/$/, ''),
    ca: tls.ca,
    serverName: tls.servername,
    proxy: access.proxy?.href,
  };
}

async function writeSynced(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
