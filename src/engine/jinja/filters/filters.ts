import { type Builtin, tableOf } from '../builtin.ts';
import { combinatoricFilters } from './combinatorics.ts';
import { commentFilters } from './comment.ts';
import { convertFilters } from './convert.ts';
import { dateFilters } from './dates.ts';
import { dictFilters } from './dicts.ts';
import { encodeFilters } from './encode.ts';
import { htmlFilters } from './html.ts';
import { hwaddrFilters } from './hwaddr.ts';
import { ipNetworkFilters } from './ip-networks.ts';
import { ipSubnetFilters } from './ip-subnets.ts';
import { ipaddrFilters } from './ipaddr.ts';
import { jsonFilters } from './json.ts';
import { jsonQueryFilters } from './json-query.ts';
import { listFilters } from './lists.ts';
import { mathFilters } from './math.ts';
import { miscFilters } from './misc.ts';
import { passwordFilters } from './passwords.ts';
import { pathFilters } from './paths.ts';
import { randomFilters } from './random.ts';
import { regexFilters } from './regex.ts';
import { selectFilters } from './select.ts';
import { sizeFilters } from './sizes.ts';
import { textFilters } from './text.ts';
import { urlFilters } from './urls.ts';
import { vaultFilters } from './vault.ts';
import { yamlFilters } from './yaml.ts';

const CORE: readonly Builtin[] = [
  ...convertFilters,
  ...listFilters,
  ...selectFilters,
  ...combinatoricFilters,
  ...dictFilters,
  ...jsonFilters,
  ...passwordFilters,
  ...vaultFilters,
  ...yamlFilters,
  ...urlFilters,
  ...textFilters,
  ...sizeFilters,
  ...regexFilters,
  ...randomFilters,
  ...pathFilters,
  ...mathFilters,
  ...miscFilters,
  ...htmlFilters,
  ...encodeFilters,
  ...dateFilters,
  ...commentFilters,
];

const IP_FILTERS: readonly Builtin[] = [
  ...ipaddrFilters,
  ...ipNetworkFilters,
  ...ipSubnetFilters,
  ...hwaddrFilters,
];

/** All filters by short and by full name: Jinja's and Ansible's own, and those of collections. */
export const FILTERS = {
  core: tableOf(CORE, ['ansible.builtin', 'ansible.legacy']),
  collections: new Map([
    ...tableOf(jsonQueryFilters, ['community.general']),
    ...tableOf(IP_FILTERS, ['ansible.utils', 'ansible.netcommon']),
  ]),
};
