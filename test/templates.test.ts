import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { renderHandlebars } from '../src/engine/template/handlebars.ts';
import { type Dict, fromPlain, toPlain } from '../src/engine/values.ts';
import { parseYamlData } from '../src/engine/yaml.ts';
import { isTomlTable, parseToml, type TomlTable, tomlAt } from '../src/shared/toml.ts';
import { ROOT } from './support/source-files.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** A template with the defaults of a role, and more variables over them. */
function render(template: string, role: string, more: Record<string, unknown> = {}): string {
  const defaults = parseYamlData(read(`playbooks/roles/${role}/defaults/main.yml`)) as Dict; // Names and values.
  const variables = new Map([...defaults, ...(fromPlain(more) as Dict)]); // A plain object becomes a dict.
  return renderHandlebars(read(`templates/${template}`), { file: template, variables });
}

/** Every key with its dotted path; integers as numbers, empty tables as `{}`. */
function flat(table: TomlTable, above = ''): Record<string, unknown> {
  const rows: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(table)) {
    const path = above === '' ? key : `${above}.${key}`;
    if (isTomlTable(value) && Object.keys(value).length > 0) Object.assign(rows, flat(value, path));
    else rows[path] = typeof value === 'bigint' ? Number(value) : value;
  }
  return rows;
}

/** The specification's table of the storage configuration, row by row. */
const STORAGE = {
  'storage.driver': 'overlay2',
  'storage.runroot': '/run/containers/storage',
  'storage.graphroot': '/var/lib/containers/storage',
  'storage.options.additionalimagestores': [],
  'storage.options.overlay.mountopt': 'nodev',
  'storage.options.thinpool': {},
};

/** The specification's table of the configuration of CRI-O. Where it names no value, CRI-O's own default. */
const CRIO = {
  'crio.storage_driver': 'overlay2',
  'crio.graphroot': '/var/lib/containers/storage',
  'crio.log_dir': '/var/log/crio/pods',
  'crio.version_file': '/var/run/crio/version',
  'crio.version_file_persist': '/var/lib/crio/version',
  'crio.clean_shutdown_file': '/var/lib/crio/clean.shutdown',
  'crio.api.listen': '/var/run/crio/crio.sock',
  'crio.api.stream_address': '127.0.0.1',
  'crio.api.stream_port': '0',
  'crio.api.stream_enable_tls': false,
  'crio.api.stream_idle_timeout': '',
  'crio.api.stream_tls_cert': '',
  'crio.api.stream_tls_key': '',
  'crio.api.stream_tls_ca': '',
  'crio.api.grpc_max_send_msg_size': 16777216,
  'crio.api.grpc_max_recv_msg_size': 16777216,
  'crio.runtime.no_pivot': false,
  'crio.runtime.decryption_keys_path': '/etc/crio/keys/',
  'crio.runtime.conmon': '',
  'crio.runtime.conmon_cgroup': 'system.slice',
  'crio.runtime.conmon_env': ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
  'crio.runtime.default_env': [],
  'crio.runtime.seccomp_profile': '',
  'crio.runtime.seccomp_use_default_when_empty': false,
  'crio.runtime.apparmor_profile': 'crio-default',
  'crio.runtime.irqbalance_config_file': '/etc/sysconfig/irqbalance',
  'crio.runtime.cgroup_manager': 'systemd',
  'crio.runtime.separate_pull_cgroup': '',
  'crio.runtime.default_capabilities':
    'CHOWN DAC_OVERRIDE FSETID FOWNER SETGID SETUID SETPCAP NET_BIND_SERVICE KILL'.split(' '),
  'crio.runtime.default_sysctls': [],
  'crio.runtime.additional_devices': [],
  'crio.runtime.hooks_dir': ['/usr/share/containers/oci/hooks.d'],
  'crio.runtime.pids_limit': 1024,
  'crio.runtime.log_size_max': -1,
  'crio.runtime.log_to_journald': false,
  'crio.runtime.container_exits_dir': '/var/run/crio/exits',
  'crio.runtime.container_attach_socket_dir': '/var/run/crio',
  'crio.runtime.bind_mount_prefix': '',
  'crio.runtime.read_only': false,
  'crio.runtime.log_level': 'info',
  'crio.runtime.log_filter': '',
  'crio.runtime.uid_mappings': '',
  'crio.runtime.gid_mappings': '',
  'crio.runtime.ctr_stop_timeout': 30,
  'crio.runtime.drop_infra_ctr': false,
  'crio.runtime.infra_ctr_cpuset': '',
  'crio.runtime.namespaces_dir': '/var/run',
  'crio.runtime.pinns_path': '',
  'crio.runtime.default_runtime': 'runc',
  'crio.runtime.runtimes.runc.runtime_path': '',
  'crio.runtime.runtimes.runc.runtime_type': 'oci',
  'crio.runtime.runtimes.runc.runtime_root': '/run/runc',
  'crio.runtime.runtimes.runc.allowed_annotations': ['io.containers.trace-syscall'],
  'crio.image.default_transport': 'docker://',
  'crio.image.global_auth_file': '',
  'crio.image.pause_image': 'registry.k8s.io/pause:3.10',
  'crio.image.pause_image_auth_file': '',
  'crio.image.pause_command': '/pause',
  'crio.image.signature_policy': '',
  'crio.image.image_volumes': 'mkdir',
  'crio.image.big_files_temporary_dir': '',
  'crio.network.network_dir': '/etc/cni/net.d/',
  'crio.network.plugin_dirs': ['/opt/cni/bin/'],
  'crio.metrics.enable_metrics': false,
  'crio.metrics.metrics_port': 9090,
  'crio.metrics.metrics_socket': '',
};

function expectRows(found: Record<string, unknown>, rows: Record<string, unknown>): void {
  for (const [path, value] of Object.entries(rows)) {
    it(`has ${path}`, () => expect(found[path]).to.deep.equal(value));
  }
}

describe('templates/storage.conf.hbs', () => {
  const found = flat(parseToml(render('storage.conf.hbs', 'crio')));
  expectRows(found, STORAGE);
  it('has nothing else', () => expect(Object.keys(found)).to.have.members(Object.keys(STORAGE)));
});

describe('templates/crio.conf.hbs', () => {
  const found = flat(parseToml(render('crio.conf.hbs', 'crio')));
  expectRows(found, CRIO);

  it('has nothing else but the name by which CRI-O reads the storage', () => {
    expect(Object.keys(found)).to.have.members([...Object.keys(CRIO), 'crio.root']);
    expect(found['crio.root']).to.equal(found['crio.graphroot']);
  });

  it('has the storage driver and the place of storage.conf, whatever they are', () => {
    const more = { storage_driver: 'vfs', storage_root: '/srv/images' };
    const [crio, storage] = [
      parseToml(render('crio.conf.hbs', 'crio', more)),
      parseToml(render('storage.conf.hbs', 'crio', more)),
    ];
    expect(tomlAt(crio, ['crio', 'storage_driver'])).to.equal('vfs');
    expect(tomlAt(storage, ['storage', 'driver'])).to.equal('vfs');
    expect(tomlAt(crio, ['crio', 'root'])).to.equal('/srv/images');
    expect(tomlAt(storage, ['storage', 'graphroot'])).to.equal('/srv/images');
  });
});

describe('templates/crio-last-word.conf.hbs', () => {
  it('says again what crio.conf says', () => {
    const programs = { crio_runtime_program: '', crio_monitor_program: '' };
    const last = flat(parseToml(render('crio-last-word.conf.hbs', 'crio', programs)));
    const first = flat(parseToml(render('crio.conf.hbs', 'crio')));
    for (const [path, value] of Object.entries(last)) {
      expect(first[path], path).to.deep.equal(value);
    }
    expect(Object.keys(last)).to.include.members([
      ...['crio.storage_driver', 'crio.runtime.cgroup_manager', 'crio.image.pause_image'],
      ...['crio.network.network_dir', 'crio.network.plugin_dirs'],
      'crio.runtime.runtimes.runc.allowed_annotations',
    ]);
  });

  it('leaves the runtime the programs that a package has for it', () => {
    const programs = { crio_runtime_program: '/opt/runc', crio_monitor_program: '/opt/conmon' };
    const last = flat(parseToml(render('crio-last-word.conf.hbs', 'crio', programs)));
    expect(last['crio.runtime.runtimes.runc.runtime_path']).to.equal('/opt/runc');
    expect(last['crio.runtime.runtimes.runc.monitor_path']).to.equal('/opt/conmon');
  });
});

describe('the templates of the pod network', () => {
  it('make 10-bridge.conf as the specification has it', () => {
    expect(
      JSON.parse(render('10-bridge.conf.hbs', 'cni', { pod_cidr: '10.200.3.0/24' })),
    ).to.deep.equal({
      cniVersion: '0.4.0',
      name: 'bridge',
      type: 'bridge',
      bridge: 'cnio0',
      isGateway: true,
      ipMasq: true,
      ipam: {
        type: 'host-local',
        ranges: [[{ subnet: '10.200.3.0/24' }]],
        routes: [{ dst: '0.0.0.0/0' }],
      },
    });
  });

  it('make 20-loopback.conf as the specification has it', () => {
    expect(JSON.parse(render('20-loopback.conf.hbs', 'cni'))).to.deep.equal({
      ...{ cniVersion: '0.4.0', name: 'lo', type: 'loopback' },
    });
  });
});

describe('the templates of the tools', () => {
  it('point crictl at one endpoint for both services', () => {
    const text = render('crictl.yaml.hbs', 'tools', { cri_endpoint: 'unix:///run/x.sock' });
    expect(toPlain(parseYamlData(text))).to.deep.include({
      'runtime-endpoint': 'unix:///run/x.sock',
      'image-endpoint': 'unix:///run/x.sock',
      timeout: 10,
    });
  });

  it('let BuildKit build with the images of containerd', () => {
    expect(flat(parseToml(render('buildkitd.toml.hbs', 'tools')))).to.deep.equal({
      'worker.oci.enabled': false,
      'worker.containerd.enabled': true,
      'worker.containerd.address': '/run/containerd/containerd.sock',
      'worker.containerd.namespace': 'k8s.io',
    });
  });

  it('make a configuration of nerdctl that finds the plugins', () => {
    expect(flat(parseToml(render('nerdctl.toml.hbs', 'tools')))).to.include({
      ...{ namespace: 'k8s.io', cni_path: '/opt/cni/bin', cni_netconfpath: '/etc/nerdctl/net.d' },
    });
  });

  it('start BuildKit by its socket', () => {
    expect(read('templates/buildkit.socket')).to.match(
      /^ListenStream=%t\/buildkit\/buildkitd\.sock$/m,
    );
    expect(read('templates/buildkit.service')).to.match(
      /^ExecStart=\/usr\/local\/bin\/buildkitd --addr fd:\/\/$/m,
    );
  });
});
