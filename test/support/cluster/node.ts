import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isAlive } from '../cache.ts';
import { mustRun, runCommand } from '../run-command.ts';
import { until } from '../until.ts';
import type { ControlPlane } from './control-plane.ts';
import { IMAGE, writeImage } from './pod-image.ts';
import { ServerProcess } from './server-process.ts';

const PREFIX = 'tsprov-pods-';
const MOST_NODES = 250;

/**
 * A node that runs pods on this machine: containerd, kubelet and kube-proxy in namespaces of their own, which end with
 * the test, however it ends.
 */
export class Node {
  /** Of its files, which pods can mount. */
  readonly folder: string;
  /** This machine as the node sees it. */
  readonly gateway: string;
  /** Where containerd listens, as this machine sees it. */
  readonly containerdSocket: string;
  readonly #address: string;
  readonly #subnet: string;
  readonly #process: ServerProcess;

  private constructor(folder: string, process: ServerProcess, network: number) {
    this.folder = folder;
    this.#process = process;
    this.gateway = `10.201.${network}.1`;
    this.#address = `10.201.${network}.2`;
    this.#subnet = podSubnet(network);
    this.containerdSocket = `/proc/${process.pid}/root/run/containerd/containerd.sock`;
  }

  /** Makes the namespaces and the link to them; nothing runs there before `join`. */
  static async create(binaries: string): Promise<Node> {
    await sweep();
    const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
    const script = join(import.meta.dirname, 'node.sh');
    const namespaces = ['--net', '--pid', '--mount', '--mount-proc', '--fork', '--kill-child'];
    const server: ServerProcess = new ServerProcess({
      name: 'node',
      file: 'unshare',
      args: [...namespaces, '--', 'sh', script, folder, binaries],
      log: join(folder, 'node.log'),
      isReady: async () =>
        (await readlink(`/proc/${server.pid}/ns/net`)) !== (await readlink('/proc/self/ns/net')),
    });
    await server.start();
    return new Node(folder, server, await link(server.pid));
  }

  /** Starts the node's programs and resolves when pods can run on it. */
  async join(plane: ControlPlane): Promise<void> {
    const server = `https://${this.gateway}:${plane.server.port}`;
    const users = { kubelet: 'system:node:n1', 'kube-proxy': 'system:kube-proxy' };
    for (const [name, user] of Object.entries(users)) {
      const groups = name === 'kubelet' ? ['system:nodes'] : [];
      const path = await plane.kubeconfigFor(user, groups, server);
      await copyFile(path, join(this.folder, `${name}.kubeconfig`));
    }
    await writeImage(this.folder);
    await mkdir(join(this.folder, 'cni'));
    const files = {
      'containerd.toml': containerdConfig(this.folder),
      'kubelet.yaml': JSON.stringify(kubeletConfig(plane.authorityPath)),
      'cni/bridge.conf': JSON.stringify(bridge(this.folder, this.#subnet)),
      'network.new': `${this.#address} ${this.gateway} ${this.#subnet}\n`,
    };
    for (const [name, text] of Object.entries(files))
      await writeFile(join(this.folder, name), text);
    // The node waits for it, and must not read it before it is whole.
    await rename(join(this.folder, 'network.new'), join(this.folder, 'network'));
    await this.#ready(plane);
  }

  async #ready(plane: ControlPlane): Promise<void> {
    const words = ['wait', '--for=condition=Ready', 'node/n1', '--timeout=180s'];
    try {
      await plane.kubectl('wait', '--for=create', 'node/n1', '--timeout=180s');
      await plane.kubectl(...words);
    } catch (error) {
      throw new Error(`the node is not ready: ${error}\n${await this.#logs()}`);
    }
  }

  /** Kills containerd, without the containers; resolves when its successor answers. */
  async restartContainerd(): Promise<void> {
    const before = await this.#containerd();
    const own = `/proc/${this.#process.pid}/ns`;
    const namespaces = [`--mount=${own}/mnt`, `--pid=${own}/pid_for_children`];
    await mustRun('nsenter', [...namespaces, 'kill', '-KILL', before]);
    const ask = ['--address', this.containerdSocket, 'version'];
    await until(
      async () =>
        (await this.#containerd()) !== before && (await runCommand('ctr', ask)).code === 0,
      () => `containerd had the id ${before} before it was killed`,
    );
  }

  #containerd(): Promise<string> {
    return readFile(join(this.folder, 'containerd.pid'), 'utf8').then((text) => text.trim());
  }

  /** Ends all that runs on it and removes what it has left. */
  async stop(): Promise<void> {
    // The first process of the namespace takes all others with it; who started it ends when they are gone.
    if (this.#process.isRunning) {
      const children = `/proc/${this.#process.pid}/task/${this.#process.pid}/children`;
      process.kill(Number(await readFile(children, 'utf8')), 'SIGKILL');
      await this.#process.stop();
    }
    await clear(this.folder);
  }

  async #logs(): Promise<string> {
    const names = (await readdir(this.folder)).filter((name) => name.endsWith('.log'));
    const texts = names.map(async (name) => {
      const text = await readFile(join(this.folder, name), 'utf8');
      return `${name}:\n${text.slice(-1500)}`;
    });
    return (await Promise.all(texts)).join('\n');
  }
}

/** Connects the network namespace of a process with this machine. @returns the number of the free network it took. */
async function link(pid: number): Promise<number> {
  for (let network = 1; network <= MOST_NODES; network++) {
    const name = `pods${network}`;
    const peer = ['peer', 'name', 'node0', 'netns', String(pid)];
    const { code, stderr } = await runCommand('ip', ['link', 'add', name, 'type', 'veth', ...peer]);
    // The name is the lock of the network; it is free again when the namespace is gone.
    if (stderr.includes('File exists')) continue;
    if (code !== 0) throw new Error(`no link to the node: ${stderr}`);
    await mustRun('ip', ['address', 'add', `10.201.${network}.1/30`, 'dev', name]);
    await mustRun('ip', ['link', 'set', name, 'up']);
    await mustRun('ip', ['route', 'add', podSubnet(network), 'via', `10.201.${network}.2`]);
    return network;
  }
  throw new Error(`all ${MOST_NODES} networks of nodes are taken: ip link show type veth`);
}

/** The addresses of the pods of a node; this machine reaches them. */
function podSubnet(network: number): string {
  return `10.88.${network}.0/24`;
}

/** Clears what tests that were killed have left: files, and the control groups of their containers, which are empty. */
async function sweep(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : 0;
    if (pid > 0 && !isAlive(pid)) await clear(join(tmpdir(), name));
  }
}

async function clear(folder: string): Promise<void> {
  const cri = join(folder, 'containerd', 'io.containerd.grpc.v1.cri');
  const lists = ['containers', 'sandboxes'].map((kind) => readdir(join(cri, kind)).catch(() => []));
  const containers = new Set((await Promise.all(lists)).flat());
  const find = ['/sys/fs/cgroup', '-maxdepth', '3', '-type', 'd', '-path', '*/k8s.io/*'];
  const groups = (await mustRun('find', find)).split('\n').filter(Boolean);
  for (const group of groups.filter((path) => containers.has(basename(path)))) {
    await mustRun('find', [group, '-depth', '-type', 'd', '-delete']);
  }
  await rm(folder, { recursive: true, force: true });
}

function containerdConfig(folder: string): string {
  return `version = 2
root = "${folder}/containerd"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${IMAGE}"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${folder}/cni"
`;
}

function kubeletConfig(authority: string) {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    authentication: { x509: { clientCAFile: authority }, anonymous: { enabled: false } },
    authorization: { mode: 'Webhook' },
    resolvConf: '',
    // The node shares the machine: it takes no part of it for itself, and nothing is evicted or cleared.
    cgroupDriver: 'cgroupfs',
    cgroupsPerQOS: false,
    enforceNodeAllocatable: [],
    failCgroupV1: false,
    failSwapOn: false,
    evictionHard: {},
    imageGCHighThresholdPercent: 100,
    localStorageCapacityIsolation: false,
  };
}

function bridge(folder: string, subnet: string) {
  return {
    cniVersion: '1.0.0',
    name: 'bridge',
    type: 'bridge',
    bridge: 'pods0',
    isGateway: true,
    ipMasq: true,
    ipam: {
      type: 'host-local',
      dataDir: join(folder, 'addresses'),
      ranges: [[{ subnet }]],
      routes: [{ dst: '0.0.0.0/0' }],
    },
  };
}
