import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Controller } from '../../src/engine/module.ts';
import { localController } from '../support/local-controller.ts';
import { type NspawnNode, startNode } from '../support/nodes/nspawn.ts';
import { needMachines } from '../support/nodes/requirements.ts';
import { failureIn, live, type Story } from '../support/nodes/stories.ts';
import { openNode, type RealHost } from '../support/real-host.ts';

const PATH = "/srv/it's $(id)";

const STORIES: readonly Story[] = [
  {
    title: 'makes a directory whatever its name',
    module: 'file',
    args: { path: PATH, state: 'directory', mode: '2750', group: 'adm' },
    look: 'stat -c %A:%U:%G /srv/it*',
    seen: 'drwxr-s---:root:adm\n',
  },
  {
    title: 'takes setgid away again',
    module: 'file',
    args: { path: PATH, state: 'directory', mode: '0755' },
    look: 'stat -c %a /srv/it*',
    seen: '755\n',
  },
  {
    title: 'writes a content',
    module: 'copy',
    args: { content: 'one\n', dest: `${PATH}/a`, owner: 'games', mode: 'u=rw,g=r,o=' },
    look: 'cd /srv/it*; cat a; stat -c %a:%U a',
    seen: 'one\n640:games\n',
  },
  {
    title: 'keeps owner and mode when it replaces a content',
    module: 'copy',
    args: { content: 'two\n', dest: `${PATH}/a`, validate: 'grep -q two %s' },
    look: 'cd /srv/it*; cat a; stat -c %a:%U a',
    seen: 'two\n640:games\n',
  },
  {
    title: 'renders a template',
    module: 'template',
    args: { src: 't.j2', dest: '/etc/rendered', mode: '0600' },
    look: 'cat /etc/rendered; stat -c %a /etc/rendered',
    seen: '3 \n600\n',
  },
  {
    title: 'copies a tree of the host',
    module: 'copy',
    args: { src: '/etc/skel/', dest: '/srv/skel/', remote_src: true },
    look: 'diff -r /etc/skel /srv/skel && stat -c %a /srv/skel/.profile',
    seen: '644\n',
  },
  {
    title: 'sets the attributes of a tree',
    module: 'file',
    args: {
      path: '/srv/skel',
      state: 'directory',
      recurse: true,
      owner: 'games',
      mode: 'a=,u=rwX',
    },
    look: 'stat -c %a:%U /srv/skel /srv/skel/.profile',
    seen: '700:games\n600:games\n',
  },
  {
    title: 'points a link elsewhere',
    module: 'file',
    args: { path: '/etc/zone', src: '/usr/share/zoneinfo/UTC', state: 'link', force: true },
    look: 'readlink /etc/zone',
    seen: '/usr/share/zoneinfo/UTC\n',
  },
  {
    title: 'removes a tree',
    module: 'file',
    args: { path: PATH, state: 'absent' },
    look: 'ls /srv',
    seen: 'skel\n',
  },
];

describe('modules about files on a container node', () => {
  let node: NspawnNode;
  let host: RealHost;
  let directory: string;
  let controller: Controller;

  before(async function () {
    await needMachines(this);
    node = await startNode({ name: 'files' });
    host = await openNode(node);
    directory = mkdtempSync(join(tmpdir(), 'tsprov-test-'));
    controller = localController(directory);
    writeFileSync(join(directory, 't.j2'), '{{ 1 + 2 }} \n');
    execFileSync('tar', ['-czf', 'a.tgz', 't.j2'], { cwd: directory });
    await node.exec('ln -s ../usr/share/zoneinfo/CET /etc/zone');
  });
  after(async () => {
    await host?.close();
    await node?.stop();
    if (directory !== undefined) rmSync(directory, { recursive: true });
  });

  for (const story of STORIES) {
    it(story.title, () => live({ host, exec: node.exec, options: { controller } }, story));
  }

  it('unpacks an archive where the folders for temporary files cannot be written', async () => {
    const folders = ['/tmp', '/var/tmp'];
    await node.exec(folders.map((each) => `mount -t tmpfs -o ro none ${each}`).join(' && '));
    try {
      const story: Story = {
        title: '',
        module: 'unarchive',
        args: { src: 'a.tgz', dest: '/srv' },
        look: 'cat /srv/t.j2; ls -A /srv /root | grep tsprov; touch /tmp/x || echo none',
        seen: '{{ 1 + 2 }} \nnone\n',
      };
      await live({ host, exec: node.exec, options: { controller } }, story);
    } finally {
      await node.exec(folders.map((each) => `umount ${each}`).join('; '));
    }
  });

  it('tells about files and reads them', async () => {
    const { result } = await host.play('stat', { path: '/etc/hostname' });
    expect(result['stat']).to.include({ exists: true, isreg: true, pw_name: 'root' });
    const { result: read } = await host.play('slurp', { src: '/etc/hostname' });
    expect(Buffer.from(String(read['content']), 'base64').toString()).to.equal('files\n');
  });

  it('fetches a file once', async () => {
    const args = { src: '/etc/hostname', dest: 'fetched' };
    const conversation = { controller };
    const first = await host.play('fetch', args, { conversation });
    expect(first.result['changed']).to.equal(true);
    const again = await host.play('fetch', args, { conversation });
    expect(again.result['changed']).to.equal(false);
    expect(readFileSync(String(again.result['dest']), 'utf8')).to.equal('files\n');
  });

  it('makes temporary files of its own', async () => {
    const { result } = await host.play('tempfile', { suffix: '.x' });
    expect(result).to.include({ changed: true, mode: '0600' });
    expect(result['path']).to.match(/^\/tmp\/ansible\..*\.x$/);
  });

  for (const [module, args, message] of [
    ['file', { path: '/gone', mode: '0600' }, 'file (/gone) is absent'],
    [
      'file',
      { path: '/etc/hostname', owner: 'nobody-knows' },
      'failed to look up user nobody-knows',
    ],
    ['file', { path: '/etc/hostname', attributes: '+i' }, 'attributes need lsattr and chattr'],
    ['copy', { content: 'x', dest: '/gone/x' }, 'Destination directory /gone does not exist'],
    ['copy', { content: 'x', dest: '/etc/hostname', mode: 'q' }, 'mode "q" is neither octal'],
    ['slurp', { src: '/gone' }, 'File not found: /gone'],
  ] as const) {
    it(`fails and says: ${message}`, async () => {
      expect(await failureIn(host, module, args)).to.include(message);
    });
  }
});
