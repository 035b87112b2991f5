import { define, tableOf } from '../builtin.ts';
import { TemplateError } from '../errors.ts';
import { commandLookups } from './commands.ts';
import { configLookup } from './config.ts';
import { collectionLookups, dataLookups } from './data.ts';
import { fileLookups } from './files.ts';
import { passwordLookup } from './password.ts';
import { sequenceLookup } from './sequence.ts';
import { tableLookups } from './tables.ts';

/** Evaluation does not wait, so nothing can be fetched. */
const urlLookup = define('url', 'terms, **options', () => {
  throw new TemplateError(
    'the url lookup is not supported (fetch with the uri module and register the result)',
  );
});

/** Lookups by short and by full name: those of ansible-core, and those of collections. */
export const LOOKUPS = {
  core: tableOf(
    [
      ...dataLookups,
      ...fileLookups,
      ...commandLookups,
      ...tableLookups,
      configLookup,
      passwordLookup,
      sequenceLookup,
      urlLookup,
    ],
    ['ansible.builtin', 'ansible.legacy'],
  ),
  collections: tableOf(collectionLookups, ['community.general']),
} as const;
