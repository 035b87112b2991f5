import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { finishModule, type ModuleOutcome, probeModule } from '../../../src/engine/run-module.ts';
import { getUrl } from '../../../src/modules/get-url.ts';
import { findChecksum, parseChecksum } from '../../../src/modules/support/download/checksum.ts';
import { parseArgs } from '../../../src/shared/validate.ts';
import { fakeController } from '../../support/fake-conversation.ts';
import { type LocalHost, openLocalHost } from '../../support/local-host.ts';

const BODY = 'hello world\n';
const SHA256 = createHash('sha256').update(BODY).digest('hex');

const LOGIN = `Basic ${Buffer.from('me:secret').toString('base64')}`;
type Page = (answer: ServerResponse, headers: IncomingHttpHeaders) => void;

const whole: Page = (answer) => answer.setHeader('content-length', BODY.length).end(BODY);

const PAGES: Readonly<Record<string, Page>> = {
  '/moved': (answer) => answer.writeHead(302, { location: '/echo' }).end(),
  '/none': (answer) => answer.writeHead(404).end('no'),
  '/echo': (answer, headers) => answer.end(JSON.stringify(headers)),
  '/packed': (answer) => answer.setHeader('content-encoding', 'gzip').end(gzipSync(BODY)),
  '/sums': (answer) => answer.end(`${SHA256}  ./file\n`),
  '/named': (answer, headers) => {
    answer.setHeader('content-disposition', 'attachment; filename="n.txt"');
    whole(answer, headers);
  },
  '/login': (answer, headers) => {
    if (headers.authorization === LOGIN) whole(answer, headers);
    else answer.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
  },
  '/old': (answer, headers) => {
    if (headers['if-modified-since'] === undefined) whole(answer, headers);
    else answer.writeHead(304).end();
  },
};

function startServer(): Server {
  return createServer(({ url = '', headers }, answer) => (PAGES[url] ?? whole)(answer, headers));
}

for (const tool of ['curl', 'wget', 'busybox'] as const) {
  describe(`get_url by ${tool}`, () => {
    let host: LocalHost;
    let server: Server;
    let base: string;
    let tools: string;

    before(async () => {
      host = await openLocalHost(tool === 'busybox' ? 'busybox' : 'gnu');
      tools = mkdtempSync(join(tmpdir(), 'tsprov-tools-'));
      if (tool === 'wget') linkTools(tools, ['curl']);
      server = startServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // It listens on TCP.
    });

    after(async () => {
      await host.close();
      server.close();
      rmSync(tools, { recursive: true });
    });

    async function play(given: Readonly<Record<string, unknown>>): Promise<ModuleOutcome> {
      const environment: Record<string, string> = tool === 'wget' ? { PATH: tools } : {};
      const writer = await host.writer({ environment });
      const args = parseArgs(getUrl.args, getUrl, given);
      const probed = await probeModule(getUrl, writer, fakeController(), args);
      return finishModule(probed, writer, { check: false, diff: true, verify: true });
    }
    const at = (name: string) => join(host.directory, name);
    const failure = (given: Readonly<Record<string, unknown>>) =>
      play(given).then(
        () => 'nothing',
        (error: Error) => error.message,
      );

    it('fetches a file once, and again when its content differs', async () => {
      const given = { url: `${base}/file`, dest: at('f'), mode: '0640' };
      const first = await play(given);
      expect(first.result).to.include({ changed: true, status_code: 200, size: 12, mode: '0640' });
      expect((await play(given)).result).to.include({ changed: false, mode: '0640' });
      writeFileSync(at('f'), 'other');
      expect((await play({ ...given, backup: true })).result).to.include.keys('backup_file');
      expect(readFileSync(at('f'), 'utf8')).to.equal(BODY);
    });

    it('overwrites in place what cannot be replaced, where that is allowed', async () => {
      writeFileSync(at('real'), 'old', { mode: 0o600 });
      mkdirSync(at('fixed'));
      const mounted = join(at('fixed'), 'f');
      execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', at('fixed')]);
      writeFileSync(mounted, '');
      execFileSync('mount', ['-o', 'remount,ro', at('fixed')]);
      execFileSync('mount', ['--bind', at('real'), mounted]);
      const given = { url: `${base}/file`, dest: mounted, mode: '0640' };
      try {
        expect(await failure(given)).to.not.equal('nothing');
        const { result } = await play({ ...given, unsafe_writes: true });
        expect(result).to.include({ changed: true, mode: '0640' });
        expect(readFileSync(at('real'), 'utf8')).to.equal(BODY);
      } finally {
        for (const each of [mounted, at('fixed')]) execFileSync('umount', [each]);
      }
    });

    it('believes a server that has nothing newer', async () => {
      writeFileSync(at('old'), 'kept');
      const { result } = await play({ url: `${base}/old`, dest: at('old') });
      expect(result).to.include({ changed: false, status_code: 304 });
    });

    it('keeps a file whose checksum is wrong from its place', async () => {
      const given = { url: `${base}/file`, dest: at('sum') };
      expect(await failure({ ...given, checksum: `sha256:${'0'.repeat(64)}` })).to.include(
        'did not match',
      );
      expect(readdirSync(host.directory)).to.not.include('sum');
      const checked = await play({ ...given, checksum: `sha256:${base}/sums` });
      expect(checked.result).to.include({ changed: true });
    });

    it('names a file in a directory as the server says', async () => {
      const { result } = await play({ url: `${base}/named`, dest: host.directory });
      expect(result).to.include({ dest: at('n.txt') });
    });

    it('unpacks what was packed for the way', async () => {
      await play({ url: `${base}/packed`, dest: at('p') });
      expect(readFileSync(at('p'), 'utf8')).to.equal(BODY);
    });

    it('logs in', async () => {
      const login = { url_username: 'me', url_password: 'secret' };
      const { result } = await play({ url: `${base}/login`, dest: at('l'), ...login });
      expect(result).to.include({ changed: true });
      expect(await failure({ url: `${base}/login`, dest: at('l2') })).to.include('401');
    });

    it('sends headers, and some of them not on after a redirection', async () => {
      const headers = { 'X-Kept': 'a b', 'X-Hidden': 'h' };
      const given = { url: `${base}/moved`, dest: at('e'), headers };
      if (tool === 'busybox') {
        const hidden = await failure({ ...given, unredirected_headers: ['x-hidden'] });
        expect(hidden).to.include('cannot do "unredirected_headers"');
        return;
      }
      await play({ ...given, unredirected_headers: ['x-hidden'], http_agent: 'me/1' });
      const seen: unknown = JSON.parse(readFileSync(at('e'), 'utf8'));
      expect(seen).to.include({ 'x-kept': 'a b', 'user-agent': 'me/1' });
      expect(seen).to.not.have.property('x-hidden');
    });

    it('says why nothing came', async () => {
      expect(await failure({ url: `${base}/none`, dest: at('x') })).to.include('404: Not Found');
      expect(await failure({ url: 'http://127.0.0.1:1/', dest: at('x') })).to.match(
        /refused|connect/i,
      );
      expect(readdirSync(host.directory).filter((name) => name.startsWith('.'))).to.deep.equal([]);
    });
  });
}

function linkTools(directory: string, without: readonly string[]): void {
  for (const source of ['/bin', '/usr/bin']) {
    for (const name of readdirSync(source).filter((each) => !without.includes(each))) {
      try {
        symlinkSync(join(source, name), join(directory, name));
      } catch {
        // Linked already: /bin and /usr/bin are one on many systems.
      }
    }
  }
}

describe('checksums of downloads', () => {
  it('are digests or places of lists', () => {
    expect(parseChecksum('sha256:AB cd')).to.deep.equal({
      ...{ algorithm: 'sha256', value: 'abcd', isUrl: false },
    });
    expect(parseChecksum('SHA1:https://h/s')).to.include({ algorithm: 'sha1', isUrl: true });
    expect(parseChecksum('')).to.equal(undefined);
    for (const bad of ['abc', 'crc:12', 'md5:xyz'])
      expect(() => parseChecksum(bad), bad).to.throw();
  });

  it('are found in lists of either form', () => {
    expect(findChecksum('aa  other\nBB *./f\n', 'f')).to.equal('bb');
    expect(findChecksum('SHA256 (f) = cc\n', 'f')).to.equal('cc');
    expect(findChecksum('dd\n', 'f')).to.equal('dd');
    expect(findChecksum('aa  g\nbb  h\n', 'f')).to.equal(undefined);
  });
});
