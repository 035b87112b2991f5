/** The role that puts the image on nodes: what it asks of the programs there, which stand-ins play here. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/source-files.ts';
import { runTsprov } from '../support/tsprov.ts';

const NODES = ['n1', 'n2'];
const PLAYBOOK = `
- hosts: all
  gather_facts: false
  environment: { MACHINE: '{{ machine | default("x86_64") }}' }
  roles: [{ role: ${join(ROOT, 'playbooks/roles/scaler_image')} }]
- hosts: localhost
  gather_facts: false
  tasks: [{ debug: { msg: 'the tag is {{ scaler_image_tag | default("not known") }}' } }]
`;

describe('the role that puts the image on nodes', () => {
  let folder: string;
  const of = (node: string, file: string) => join(folder, node, file);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tsprov-image-'));
    writeFileSync(join(folder, 'play.yaml'), PLAYBOOK);
    for (const node of NODES) mkdirSync(join(folder, node));
    writeFileSync(of('n1', 'buildkitd'), '');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const play = (variables: object, ...options: readonly string[]) => {
    const all = {
      scaler_image_folder: join(folder, '{{ inventory_hostname }}/work'),
      scaler_containerd_socket: join(folder, '{{ inventory_hostname }}/containerd'),
      scaler_buildkit_address: `unix://${join(folder, '{{ inventory_hostname }}/buildkitd')}`,
      scaler_image_cache: join(folder, 'cache'),
      ...variables,
    };
    const hosts = ['-i', `${NODES.join()},`, '-c', 'local'];
    return runTsprov(['play', 'play.yaml', ...hosts, '-e', JSON.stringify(all), ...options], {
      cwd: folder,
      env: {
        ...process.env,
        PWD: folder,
        PATH: `${join(ROOT, 'test/playbooks/stand-ins')}:${process.env['PATH']}`,
      },
    });
  };
  const must = async (variables: object = {}, ...options: readonly string[]) => {
    const { code, stdout, stderr } = await play(variables, ...options);
    expect(code, stdout + stderr).to.equal(0);
    return stdout;
  };
  const imagesOf = (node: string) =>
    readFileSync(of(node, 'containerd.images'), 'utf8').split('\n').filter(Boolean);
  const buildsOf = (node: string) => readFileSync(of(node, 'buildkitd'), 'utf8');

  it('does nothing with an image that nodes pull', async () => {
    const stdout = await must({
      scaler_image_source: 'registry',
      scaler_image: 'registry.example/scaler',
    });
    expect(stdout).to.match(/n1 .*changed=0/);
    expect(readdirSync(join(folder, 'n1'))).to.deep.equal(['buildkitd']);
  });

  describe('that is built', () => {
    it('tells in a check run what will change, and changes nothing', async () => {
      const stdout = await must({}, '--check');
      expect(stdout)
        .to.match(/n1 .*changed=[1-9]/)
        .and.to.match(/n2 .*changed=[1-9]/);
      expect(readdirSync(join(folder, 'n2'))).not.to.include('work');
      expect(buildsOf('n1')).to.equal('');
    });

    it('builds once and loads it into every node, by a name that tells what it is made of', async () => {
      const stdout = await must();
      const [image] = imagesOf('n1');
      expect(image).to.match(/^localhost\/tsprov-scaler:\d+\.\d+\.\d+-[0-9a-f]{12}$/);
      expect(imagesOf('n2')).to.deep.equal([image]);
      expect(buildsOf('n1').match(/^build$/gm)).to.have.length(1);
      expect(stdout).to.include(`the tag is ${image?.split(':')[1]}`);
      expect(readdirSync(of('n1', 'work'))).to.deep.equal(['loaded']);
    });

    it('changes nothing the second time, and its check run says so', async () => {
      await must();
      for (const options of [[], ['--check']]) {
        const stdout = await must({}, ...options);
        expect(stdout)
          .to.match(/n1 .*changed=0/)
          .and.to.match(/n2 .*changed=0/);
      }
    });

    it('loads it again into a node that has lost it, without building', async () => {
      await must();
      writeFileSync(of('n2', 'containerd.images'), '');
      expect(await must())
        .to.match(/n1 .*changed=0/)
        .and.to.match(/n2 .*changed=[1-9]/);
      expect(imagesOf('n2')).to.deep.equal(imagesOf('n1'));
      expect(buildsOf('n1').match(/^build$/gm)).to.have.length(1);
    });

    it('builds it again where nobody has kept it, and leaves no trace of that', async () => {
      await must();
      rmSync(join(folder, 'cache'), { recursive: true });
      writeFileSync(of('n2', 'containerd.images'), '');
      await must();
      expect(imagesOf('n2')).to.deep.equal(imagesOf('n1'));
      for (const node of NODES) expect(readdirSync(of(node, 'work'))).to.deep.equal(['loaded']);
    });

    it('keeps the image on a full disk, and older ones no longer', async () => {
      await must();
      await must({ scaler_node_image: 'mirror.example/node:24' });
      const [older, newer] = imagesOf('n2');
      const pin = 'io.cri-containerd.pinned=';
      expect(readFileSync(of('n2', 'containerd.labels'), 'utf8').split('\n')).to.deep.equal([
        `${older} ${pin}pinned`,
        `${newer} ${pin}pinned`,
        `${older} ${pin}`,
        '',
      ]);
    });

    it('takes Node.js from the image that is named, and another name for what is made of it', async () => {
      await must();
      await must({
        scaler_node_image: 'mirror.example/node:24',
        scaler_node_image_digest: 'sha256:abc',
      });
      expect(buildsOf('n1'))
        .to.include('build-arg:NODE_IMAGE=mirror.example/node:24\n')
        .and.to.include('build-arg:NODE_DIGEST=sha256:abc\n');
      expect(new Set(imagesOf('n1'))).to.have.length(2);
    });
  });

  it('takes the nodes of each architecture by themselves', async () => {
    const machine = { machine: "{{ 'aarch64' if inventory_hostname == 'n2' else 'x86_64' }}" };
    const { code, stdout, stderr } = await play(machine);
    expect(code).to.equal(2);
    expect(stdout + stderr).to.include('no node with the architecture arm64 (n2; ');
    writeFileSync(of('n2', 'buildkitd'), '');
    await must(machine);
    expect(imagesOf('n2')).to.deep.equal(imagesOf('n1'));
    for (const node of NODES) expect(buildsOf(node).match(/^build$/gm), node).to.have.length(1);
  });

  describe('that is an archive', () => {
    const archive = () => ({
      scaler_image_source: 'archive',
      scaler_image: 'docker.io/local/scaler',
      scaler_image_tag: '1',
      scaler_image_archive: 'scaler-{arch}.tar',
    });
    const write = (text: string) => {
      for (const arch of ['amd64', 'arm64'])
        writeFileSync(join(folder, `scaler-${arch}.tar`), text);
    };

    it('loads it once, and again when it is another one', async () => {
      write('docker.io/local/scaler:1\n');
      await must(archive());
      expect(imagesOf('n2')).to.deep.equal(['docker.io/local/scaler:1']);
      expect(await must(archive()))
        .to.match(/n1 .*changed=0/)
        .and.to.match(/n2 .*changed=0/);
      write('docker.io/local/scaler:1\n\n');
      expect(await must(archive())).to.match(/n1 .*changed=[1-9]/);
    });

    for (const kind of ['oci', 'docker']) {
      it(`loads one of the kind ${kind} into the storage of CRI-O`, async () => {
        write(`${kind}\n`);
        const crio = {
          ...archive(),
          container_runtime: 'crio',
          crio_socket: join(folder, '{{ inventory_hostname }}/crio'),
        };
        await must(crio);
        expect(readFileSync(of('n2', 'crio.images'), 'utf8')).to.equal(
          'docker.io/local/scaler:1\n',
        );
        expect(await must(crio))
          .to.match(/n1 .*changed=0/)
          .and.to.match(/n2 .*changed=0/);
      });
    }

    it('says what an archive has that has not the image', async () => {
      write('docker.io/local/other:2\n');
      const { code, stdout, stderr } = await play(archive());
      expect(code).to.equal(2);
      expect(stdout + stderr)
        .to.include('has no image docker.io/local/scaler:1')
        .and.to.include('unpacking docker.io/local/other:2');
      expect(readdirSync(of('n1', 'work'))).to.deep.equal([]);
    });
  });

  for (const [why, variables, message] of [
    [
      'a registry is not named',
      { scaler_image_source: 'registry' },
      'localhost/tsprov-scaler is in no registry',
    ],
    ['no archive is named', { scaler_image_source: 'archive' }, 'scaler_image_archive is not set'],
    [
      'there is no archive',
      {
        scaler_image_source: 'archive',
        scaler_image_archive: '/nowhere/scaler.tar',
      },
      '/nowhere/scaler.tar does not exist on the controller',
    ],
    [
      'there is no image with Node.js',
      { scaler_node_image_archive: '/nowhere/node.tar' },
      '/nowhere/node.tar does not exist on the controller',
    ],
    [
      'no node can build',
      { scaler_buildkit_address: 'unix:///nowhere' },
      /BuildKit answers on no node with the architecture \w+ \(n1, n2; unix:\/\/\/nowhere\)/,
    ],
  ] as const) {
    it(`refuses where ${why}, in a check run too`, async () => {
      for (const options of [[], ['--check']]) {
        const { code, stdout, stderr } = await play(variables, ...options);
        expect(code).to.equal(2);
        expect(stdout + stderr).to.match(message instanceof RegExp ? message : new RegExp(message));
      }
    });
  }
});
