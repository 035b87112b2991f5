import { hash } from 'bcryptjs';
import { createHttp, httpSettings } from '../../../src/scaler/http.ts';
import { freePort } from '../free-port.ts';
import type { TestAuthority } from '../scaler/certificates.ts';
import { makeServerDirectory, type RunningServer, startServer } from './server.ts';

export interface PrometheusServer extends RunningServer {
  readonly url: string;
}

/** A server over TLS, for the user `app` with the password `hunter2`, that scrapes one target. */
export async function startPrometheus(
  { ca, server }: TestAuthority,
  target: string,
): Promise<PrometheusServer> {
  const directory = await makeServerDirectory('prometheus');
  const url = `https://127.0.0.1:${await freePort()}`;
  const config = await directory.write(
    'prometheus.yml',
    `scrape_configs: [{job_name: shop, scrape_interval: 10s, static_configs: [{targets: ['${target}']}]}]`,
  );
  const web = {
    tls_server_config: {
      cert_file: await directory.write('server.pem', server.cert),
      key_file: await directory.write('server.key', server.key),
    },
    basic_auth_users: { app: await hash('hunter2', 4) },
  };
  const http = createHttp({ ...httpSettings({}), timeoutMs: 60_000 });
  const authorization = `Basic ${btoa('app:hunter2')}`;
  const running = await startServer(directory, {
    file: 'prometheus',
    args: [
      `--config.file=${config}`,
      `--web.config.file=${await directory.write('web.yml', JSON.stringify(web))}`,
      `--web.listen-address=${new URL(url).host}`,
      `--storage.tsdb.path=${directory.path}/data`,
    ],
    async probe() {
      const { text } = await http.request(new URL(`${url}/api/v1/query?query=up==1`), {
        headers: { authorization },
        tls: { ca },
        signal: AbortSignal.timeout(60_000),
      });
      if (!text.includes('"job":"shop"')) throw new Error(`the target is not up: ${text}`);
    },
  });
  return {
    url,
    async stop() {
      await http.close();
      await running.stop();
      await directory.remove();
    },
  };
}
