/** Asking the installed containerd about itself. */
import { type Reader, TaskError } from '../../../engine/module.ts';
import { sh } from '../../../shared/shell.ts';
import { parseToml, type TomlTable } from '../../../shared/toml.ts';
import { readTextFile, type TextFile } from '../text-file.ts';
import { versionOf } from './settings.ts';

export interface Daemon {
  readonly binary: string;
  /** As `containerd --version` prints it, e.g. `v2.4.2`. */
  readonly version: string;
  /** What `containerd config default` prints. */
  readonly defaults: string;
}

export interface ContainerdState {
  /** Absent where an earlier task of a check run would have installed it: what it will print is not known. */
  readonly daemon?: Daemon;
  readonly file: TextFile;
  /** The file's text in the daemon's version of the format, where the file has an older one. */
  readonly migrated?: string;
  /** What is in force: the file with its imports, as the daemon reads them; or why it cannot. */
  readonly effective?: string;
  readonly refusal?: string;
}

export interface ContainerdPlaces {
  readonly path: string;
  /** Empty: the one that the service runs, else the one in PATH. */
  readonly binary: string;
}

/** Packages that bring containerd. */
const PACKAGES = ['containerd', 'containerd.io'];
const USUAL_BINARIES = ['/usr/local/bin/containerd', '/usr/bin/containerd'];

/** Reads the host. Throws TaskError where there is no containerd and no earlier task would have brought it. */
export async function probeContainerd(
  host: Reader,
  places: ContainerdPlaces,
): Promise<ContainerdState> {
  const [{ stdout }, file] = await Promise.all([
    host.read(askScript(places)),
    readTextFile(host, places.path),
  ]);
  const [binary = '', version = '', defaults = '', effective = '', refusal = ''] =
    stdout.split('\0');
  if (isAwaited(host, places, binary)) return { file };
  if (binary === '') {
    throw new TaskError('containerd is not installed', {
      hint: 'install its package or its release archive first, or give `binary`',
    });
  }
  const daemon = { binary, version: version.trim().split(/\s+/)[2] ?? '', defaults };
  return {
    ...{ file, daemon },
    ...(effective !== '' && { effective }),
    ...(refusal !== '' && { refusal }),
    ...(await migration(host, daemon, file)),
  };
}

/** Prints path, version, defaults and the configuration in force, or why there is none; NUL after each. */
function askScript({ path, binary }: ContainerdPlaces) {
  return sh`b=${binary}; p=${path}
[ -n "$b" ] || b=$(systemctl show -p ExecStart --value containerd.service 2>/dev/null | sed -n 's/^{ path=//p' | head -n 1 | cut -d ' ' -f 1)
[ -n "$b" ] && [ -x "$b" ] || b=$(PATH=/usr/local/bin:/usr/bin:$PATH; command -v containerd) || exit 0
printf '%s\\0' "$b"; "$b" --version; printf '\\0'; "$b" config default; printf '\\0'
if [ ! -f "$p" ]; then :
elif d=$("$b" -c "$p" config dump 2>/dev/null); then printf '%s\\0' "$d"
else printf '\\0'; "$b" -c "$p" config dump 2>&1 >/dev/null | tail -n 1; fi`;
}

/** Whether what is asked now is not what will answer: an earlier task of a check run would have changed it. */
function isAwaited(host: Reader, { binary: given }: ContainerdPlaces, found: string): boolean {
  const paths = [given, found, ...USUAL_BINARIES].filter((path) => path !== '');
  return (
    paths.some((path) => host.predicted('path', path)?.state !== undefined) ||
    PACKAGES.some((name) => host.predicted('package', name)?.installed === true)
  );
}

/** A file in an older version of the format than the daemon's, as the daemon itself rewrites it. */
async function migration(
  host: Reader,
  { binary, defaults }: Daemon,
  { path, text }: TextFile,
): Promise<{ migrated?: string }> {
  const own = tried(text);
  const isOlder =
    own !== undefined && text !== '' && versionOf(own) < versionOf(parseToml(defaults));
  if (!isOlder) return {};
  const { code, stdout } = await host.read(sh`${binary} -c ${path} config migrate`);
  return code === 0 ? { migrated: stdout } : {};
}

/** A file that is malformed is the plan's business. */
function tried(text: string): TomlTable | undefined {
  try {
    return parseToml(text);
  } catch {
    return undefined;
  }
}
