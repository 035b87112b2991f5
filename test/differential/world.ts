import type { TestNode } from '../support/nodes/node.ts';
import { runCommand } from '../support/run-command.ts';
import type { Case } from './case.ts';

/** What a run left behind, one line of text for each thing, by its name. */
export type World = ReadonlyMap<string, string>;

const TREE = String.raw`find "$@" -mindepth 0 \( -type f -printf '%p\t%y %m %u:%g ' -exec sh -c 'sha256sum < "$1"' sh {} \; \) -o -printf '%p\t%y %m %u:%g %l\n' 2> /dev/null | LC_ALL=C sort`;

/** Files, packages and units on a node that a case may have changed. */
export async function readNode(node: TestNode, test: Case): Promise<World> {
  const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ');
  const script = [
    `set -- ${quoted(test.paths)}`,
    TREE,
    ...test.packages.map(
      (name) =>
        `printf 'package ${name}\\t'; dpkg-query -W -f '\${Status} \${Version}' ${name} 2> /dev/null; echo`,
    ),
    ...test.units.map(
      (name) =>
        `printf 'unit ${name}\\t'; echo $(systemctl is-active ${name}) $(systemctl is-enabled ${name} 2> /dev/null)`,
    ),
  ].join('\n');
  return parseWorld((await node.exec(script)).stdout, '');
}

/** Files of the controller's own folder. */
export async function readController(folder: string): Promise<World> {
  const { stdout } = await runCommand('sh', ['-c', TREE, 'sh', folder]);
  const world = parseWorld(stdout, folder);
  // It names the node, so the two are never equal.
  const ours = [...world].filter(([path]) => path !== '/inventory/hosts.yaml');
  return new Map(ours);
}

function parseWorld(text: string, prefix: string): World {
  const lines = text.split('\n').filter(Boolean);
  return new Map(
    lines.map((line) => {
      const [path = '', rest = ''] = line.split('\t');
      return [path.replace(prefix, ''), rest.replace(/ +-$/, '')];
    }),
  );
}
