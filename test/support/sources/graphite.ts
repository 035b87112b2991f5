import { connect } from 'node:net';
import { freePorts } from '../free-port.ts';
import { makeServerDirectory, type RunningServer, startServer } from './server.ts';

export interface GraphiteServer extends RunningServer {
  readonly url: string;
  /** Sends points of a series, the oldest first, ten seconds apart and the last ten seconds ago. */
  send(series: string, values: readonly number[]): Promise<void>;
}

/** Graphite's web application with carbon, which keeps a point each ten seconds for an hour. */
export async function startGraphite(): Promise<GraphiteServer> {
  const directory = await makeServerDirectory('graphite');
  const [line = 0, pickle = 0, queries = 0, web = 0] = await freePorts(4);
  await directory.write('storage-schemas.conf', '[all]\npattern = .*\nretentions = 10s:1h\n');
  const config = await directory.write(
    'carbon.conf',
    carbonConfig(directory.path, { line, pickle, queries }),
  );
  await directory.write('settings_of_test.py', djangoSettings(directory.path, queries));
  const carbon = await startServer(directory, {
    file: '/usr/bin/carbon-cache',
    args: [`--config=${config}`, '--nodaemon', '--debug', 'start'],
    probe: () => send(line, ''),
  });
  const url = `http://127.0.0.1:${web}`;
  const application = await startServer(directory, {
    file: '/usr/bin/python3',
    args: ['-c', SERVE, String(web)],
    env: {
      PYTHONPATH: directory.path,
      DJANGO_SETTINGS_MODULE: 'graphite.settings',
      GRAPHITE_SETTINGS_MODULE: 'settings_of_test',
    },
    probe: () => fetch(`${url}/render?target=none&format=json`),
  });
  return {
    url,
    send(series, values) {
      const now = Math.floor(Date.now() / 1000);
      const times = values.map((_, i) => now - 10 * (values.length - i));
      return send(line, values.map((value, i) => `${series} ${value} ${times[i]}\n`).join(''));
    },
    async stop() {
      await application.stop();
      await carbon.stop();
      await directory.remove();
    },
  };
}

const SERVE = `
import sys
from wsgiref.simple_server import make_server
from graphite.wsgi import application
make_server('127.0.0.1', int(sys.argv[1]), application).serve_forever()
`;

interface CarbonPorts {
  readonly line: number;
  readonly pickle: number;
  readonly queries: number;
}

const carbonConfig = (path: string, { line, pickle, queries }: CarbonPorts) => `[cache]
STORAGE_DIR = ${path}
CONF_DIR = ${path}
LOCAL_DATA_DIR = ${path}/whisper
LOG_DIR = ${path}
PID_DIR = ${path}
LINE_RECEIVER_INTERFACE = 127.0.0.1
LINE_RECEIVER_PORT = ${line}
PICKLE_RECEIVER_INTERFACE = 127.0.0.1
PICKLE_RECEIVER_PORT = ${pickle}
CACHE_QUERY_INTERFACE = 127.0.0.1
CACHE_QUERY_PORT = ${queries}
`;

const djangoSettings = (path: string, queries: number) => `
SECRET_KEY = 'of a test'
STORAGE_DIR = LOG_DIR = '${path}'
WHISPER_DIR = '${path}/whisper'
STANDARD_DIRS = [WHISPER_DIR]
INDEX_FILE = '${path}/index'
TIME_ZONE = 'UTC'
CARBONLINK_HOSTS = ['127.0.0.1:${queries}']
DATABASES = {'default': {'NAME': '${path}/db', 'ENGINE': 'django.db.backends.sqlite3'}}
ALLOWED_HOSTS = ['*']
`;

function send(port: number, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(text));
    socket.on('error', reject);
    socket.on('close', () => resolve());
    socket.resume();
  });
}
