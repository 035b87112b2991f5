import { sh } from '../../shared/shell.ts';
import { type Collector, lines } from './collector.ts';

/** Version, implementation, path and whether it can speak TLS, each on a line. */
const PROGRAM = `import sys
print(sys.version.split()[0])
print(' '.join(str(part) for part in sys.version_info))
print(sys.implementation.name)
print(sys.executable)
try:
    import _ssl
    print('tls')
except ImportError:
    pass`;

/** Asks the Python of the host, once, if there is one. */
export const PYTHON_SCRIPT = sh`[ -n "$asked_python" ] || { asked_python=1
p=/usr/bin/python3; [ -x "$p" ] || p=$(command -v python3)
[ -z "$p" ] || { s python; limited "$p" -S -E -B -c ${PROGRAM}; }; }`;

/** What playbooks want to know of the Python of a host, or null; nothing else here needs one. */
export const python: Collector = {
  name: 'python',
  script: PYTHON_SCRIPT,

  parse(sections) {
    const [, info, type, executable, tls] = lines(sections, 'python');
    if (info === undefined || executable === undefined) return { python: null };
    const [major, minor, micro, releaselevel, serial] = info
      .split(' ')
      .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
    return {
      python: {
        version: { major, minor, micro, releaselevel, serial },
        version_info: [major, minor, micro, releaselevel, serial],
        executable,
        has_sslcontext: tls !== undefined,
        type,
      },
    };
  },
};
