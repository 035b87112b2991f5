import type { Command } from '../../shared/shell.ts';
import type { FactOptions, TextOutput } from '../host-contract.ts';
import { fromPlain, type Value } from '../values.ts';
import { COLLECTORS } from './collectors.ts';
import { factScript, parseSections } from './script.ts';
import { selectCollectors } from './subset.ts';

const DEFAULT_TIMEOUT_SECONDS = 10;
const DEFAULT_FACT_PATH = '/etc/ansible/facts.d';

/**
 * The facts that Ansible's `setup` gathers, without prefix, by one script in one round trip. Throws TaskError on
 * an unknown subset. Everything in the result is data and never rendered.
 */
export async function gatherFacts(
  read: (command: Command) => Promise<TextOutput>,
  options: FactOptions = {},
): Promise<Map<string, Value>> {
  const { subset = ['all'], timeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = options;
  const { factPath = DEFAULT_FACT_PATH } = options;
  const collectors = selectCollectors(subset, COLLECTORS);
  const { stdout } = await read(factScript(collectors, { timeoutSeconds, factPath }));
  const sections = parseSections(stdout);
  const facts = new Map<string, Value>();
  for (const collector of collectors) {
    for (const [name, value] of Object.entries(collector.parse(sections, facts))) {
      if (value !== undefined) facts.set(name, fromPlain(value));
    }
  }
  return facts.set('gather_subset', subset).set('module_setup', true);
}
