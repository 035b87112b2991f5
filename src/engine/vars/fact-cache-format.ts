/** Ansible's format of cached facts: JSON in which typed values name their type, as text inside of JSON. */
import { dumpJson, parseJson } from '../jinja/json.ts';
import { type Dict, isDict, OMIT, Timestamp, type Value, VaultText } from '../values.ts';

const PAYLOAD = '__payload__';
const TYPE = '__ansible_type';
const MOMENT = 'AnsibleSerializableDateTime';
const DATE = 'AnsibleSerializableDate';

/** The text of a cache file. */
export function renderFacts(facts: Dict): string {
  const payload = dumpJson(encoded(facts), { asciiOnly: false });
  return JSON.stringify({ [PAYLOAD]: payload });
}

/** What a cache file holds; undefined where it is of another format. Throws where it is no JSON. */
export function parseFacts(text: string): Dict | undefined {
  const file = parseJson(text);
  const payload = file instanceof Map ? file.get(PAYLOAD) : undefined;
  if (typeof payload !== 'string') return undefined;
  const facts = decoded(parseJson(payload) as Value); // JSON holds values of playbooks only.
  return isDict(facts) ? (facts as Dict) : undefined; // Keys of JSON are text.
}

function encoded(value: Value): Value {
  if (value instanceof Timestamp) return encodedMoment(value);
  if (value instanceof VaultText) return value.plain();
  if (Array.isArray(value)) return value.filter((each) => each !== OMIT).map(encoded);
  if (!isDict(value)) return value;
  const members = [...value].filter(([, each]) => each !== OMIT);
  return new Map(members.map(([key, each]) => [key, encoded(each)]));
}

function encodedMoment({ text, isDate }: Timestamp): Value {
  if (isDate) return new Map([[TYPE, DATE]]).set('iso8601', text);
  return new Map<Value, Value>([
    ['iso8601', text.replace(' ', 'T')],
    ['fold', 0],
    [TYPE, MOMENT],
  ]);
}

/** Tags (where a value was written, what it may be used for) are Ansible's own affair and are left away. */
function decoded(value: Value): Value {
  if (Array.isArray(value)) return value.map(decoded);
  if (!isDict(value)) return value;
  const type = value.get(TYPE);
  const typed = typeof type === 'string' ? typedValue(type, value) : undefined;
  return typed ?? new Map([...value].map(([key, each]) => [key, decoded(each)]));
}

function typedValue(type: string, value: ReadonlyMap<Value, Value>): Value | undefined {
  const tagged = type.startsWith('_AnsibleTagged') ? value.get('value') : undefined;
  if (tagged !== undefined) return decoded(tagged);
  const text = value.get('iso8601');
  if (typeof text !== 'string' || (type !== DATE && type !== MOMENT)) return undefined;
  return new Timestamp(text.replace('T', ' '), type === DATE);
}
