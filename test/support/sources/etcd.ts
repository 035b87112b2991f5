import { createHttp, httpSettings } from '../../../src/scaler/http.ts';
import { freePorts } from '../free-port.ts';
import type { TestAuthority } from '../scaler/certificates.ts';
import { makeServerDirectory, type RunningServer, startServer } from './server.ts';

export interface EtcdServer extends RunningServer {
  /** host:port. */
  readonly endpoint: string;
  /** Calls the JSON gateway as root, after `requireLogin` too. */
  call(path: string, body: object): Promise<void>;
  put(key: string, value: string): Promise<void>;
  /** How many watches there are. */
  watches(): Promise<number>;
  /** From now on nobody gets in but `root` with `hunter2`. */
  requireLogin(): Promise<void>;
  /** Ends the server and starts it anew, with its data. */
  restart(): Promise<void>;
}

/** Over TLS. @param asksForCertificate Only who has a certificate of the authority gets in. */
export async function startEtcd(
  authority: TestAuthority,
  asksForCertificate: boolean,
): Promise<EtcdServer> {
  const directory = await makeServerDirectory('etcd');
  const [clients = 0, peers = 0] = await freePorts(2);
  const url = `https://127.0.0.1:${clients}`;
  const http = createHttp({ ...httpSettings({}), timeoutMs: 60_000 });
  const tls = { ca: authority.ca, ...(asksForCertificate && authority.client) };
  let token: string | undefined;
  const ask = async (path: string, body: object) => {
    const { status, text } = await http.request(new URL(`${url}/v3/${path}`), {
      method: 'POST',
      body: JSON.stringify(body),
      headers: token === undefined ? {} : { authorization: token },
      tls,
      signal: AbortSignal.timeout(60_000),
    });
    if (status !== 200) throw new Error(`${path}: ${text}`);
    return JSON.parse(text);
  };
  const program = {
    file: 'etcd',
    args: [
      `--data-dir=${directory.path}/data`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=http://127.0.0.1:${peers}`,
      `--cert-file=${await directory.write('server.pem', authority.server.cert)}`,
      `--key-file=${await directory.write('server.key', authority.server.key)}`,
      ...(asksForCertificate
        ? [`--trusted-ca-file=${await directory.write('ca.pem', authority.ca)}`]
        : []),
      `--client-cert-auth=${asksForCertificate}`,
      '--unsafe-no-fsync',
    ],
    probe: () => ask('maintenance/status', {}),
  };
  let running = await startServer(directory, program);
  const logIn = async () => {
    token = undefined;
    token = (await ask('auth/authenticate', { name: 'root', password: 'hunter2' })).token;
  };
  return {
    endpoint: `127.0.0.1:${clients}`,
    call: async (path, body) => void (await ask(path, body)),
    async put(key, value) {
      await ask('kv/put', { key: btoa(key), value: btoa(value) });
    },
    async watches() {
      const request = { tls, signal: AbortSignal.timeout(60_000) };
      const { text } = await http.request(new URL(`${url}/metrics`), request);
      return Number(/^etcd_debugging_mvcc_watcher_total (\d+)$/m.exec(text)?.[1]);
    },
    async requireLogin() {
      await ask('auth/user/add', { name: 'root', password: 'hunter2' });
      await ask('auth/role/add', { name: 'root' });
      await ask('auth/user/grant', { user: 'root', role: 'root' });
      await ask('auth/enable', {});
      await logIn();
    },
    async restart() {
      await running.stop();
      running = await startServer(directory, program);
      if (token !== undefined) await logIn();
    },
    async stop() {
      await http.close();
      await running.stop();
      await directory.remove();
    },
  };
}
