/** Opens the fact cache that the configuration names. */
import type { Settings } from '../engine/config/config-settings.ts';
import { type FactCache, JsonFileCache } from '../engine/vars/fact-cache.ts';

/** The cache between runs; undefined where facts are kept for this run only. What stands in the way goes to `warn`. */
export function openFactCache(
  settings: Settings,
  warn: (text: string) => void,
): FactCache | undefined {
  const name = settings.factCaching.replace(/^ansible\.(?:builtin|legacy)\./, '');
  if (name === 'memory') return undefined;
  if (name !== 'jsonfile') {
    warn(
      `fact_caching: there is no cache "${settings.factCaching}" (jsonfile and memory are): facts are kept for this run only`,
    );
    return undefined;
  }
  const directory = settings.factCachingConnection;
  if (directory === undefined) {
    warn(
      'fact_caching: jsonfile needs a directory in fact_caching_connection: facts are kept for this run only',
    );
    return undefined;
  }
  return new JsonFileCache({
    directory,
    prefix: settings.factCachingPrefix,
    timeoutSeconds: settings.factCachingTimeout,
    warn,
  });
}

/** Forgets what is kept of hosts (--flush-cache), also of a localhost that no inventory names. */
export function flushFacts(cache: FactCache | undefined, hosts: Iterable<string>): void {
  for (const host of [...hosts, 'localhost']) cache?.forget(host);
}
