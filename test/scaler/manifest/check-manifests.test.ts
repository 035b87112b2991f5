import { expect } from 'chai';
import { checkManifests } from '../../../src/scaler/manifest/check-manifests.ts';
import { readManifests } from '../../../src/scaler/manifest/read-manifests.ts';
import type { Compatibility } from '../../../src/scaler/names.ts';
import {
  type AnyTrigger,
  choice,
  defineTrigger,
  integer,
  number,
  optional,
  removed,
  secret,
  text,
} from '../../../src/scaler/trigger.ts';

const queue = defineTrigger({
  type: 'queue',
  summary: 'A queue.',
  parameters: {
    host: text('Host.', { from: ['metadata', 'authentication', 'environment'] }),
    password: optional(secret('Password.')),
    length: number('Length.', { default: 5 }),
    mode: optional(choice(['fast', 'slow'], 'Mode.')),
    port: optional(integer('Port.', { from: ['authentication'] })),
    old: removed('Old.', 'use length'),
    token: optional(
      secret('Token.', { removedFromMetadata: 'give it in a TriggerAuthentication' }),
    ),
  },
  check: ({ host, length, mode, password }) => [
    ...(host.startsWith('h') ? [] : [`host must begin with h and not be ${host}`]),
    ...(length <= 0 ? [`length must be more than 0 and not ${length}`] : []),
    ...(mode === 'slow' && password === undefined ? ['password is needed in mode slow'] : []),
  ],
  checkSource: ({ host }) => (host.endsWith('!') ? ['host must not end in !'] : []),
  metric: ({ length }) => ({ kind: 'external', name: 'queue', target: length }),
  open: () => {
    throw new Error('no source is opened');
  },
});
const cpu = defineTrigger({
  type: 'cpu',
  summary: 'CPU.',
  parameters: { value: text('Value.') },
  canCache: false,
  metric: () => ({ kind: 'resource', resource: 'cpu', target: { utilization: 50 } }),
});
const registry: Readonly<Record<string, AnyTrigger>> = { queue, cpu };

function check(source: string, compatibility: Compatibility = 'tsprov') {
  const { manifests, problems } = readManifests(source, 'f');
  const checked = checkManifests(manifests, registry, compatibility);
  const plain = (each: (typeof checked.problems)[number]) =>
    `${each.place?.line}:${each.place?.column} ${each.message}${each.hint === undefined ? '' : ` (${each.hint})`}`;
  return {
    problems: [...problems, ...checked.problems].map(plain),
    warnings: checked.warnings.map(plain),
    counts: [checked.checkedCount, checked.otherCount],
  };
}

/** A ScaledObject; its spec goes on after the line 5. */
const object = (spec: string, kind = 'ScaledObject') => `apiVersion: scaler.tsprov.dev/v1alpha1
kind: ${kind}
metadata: { name: orders }
spec:
${kind === 'ScaledJob' ? '  jobTargetRef: { template: {} }' : '  scaleTargetRef: { name: orders }'}
${spec}`;
const GOOD = '  triggers: [{ type: queue, name: q, metadata: { host: h } }]';
const trigger = (metadata: string, rest = '') =>
  object(`  triggers:\n    - type: queue\n      metadata: ${metadata}\n${rest}`);
const formula = (written: string, names = 'a b') =>
  object(
    `  triggers:\n${names
      .split(' ')
      .map((name) => `    - { type: queue, name: ${name}, metadata: { host: h } }`)
      .join(
        '\n',
      )}\n  advanced:\n    scalingModifiers:\n      target: "5"\n      formula: ${written}`,
  );
const authentication = (spec: string, kind = 'TriggerAuthentication') =>
  `apiVersion: scaler.tsprov.dev/v1alpha1\nkind: ${kind}\nmetadata: { name: a }\nspec:\n  ${spec}`;
const SO = 'ScaledObject orders:';

const CASES: readonly (readonly [title: string, source: string, problems: readonly string[]])[] = [
  ['nothing wrong', object(GOOD), []],
  [
    'a misspelt field',
    object(`  polingInterval: 5\n${GOOD}`),
    [
      `6:3 ${SO} spec.polingInterval: "polingInterval" is not known here (did you mean "pollingInterval"?)`,
    ],
  ],
  [
    'a value of another type',
    object(`  pollingInterval: "5"\n${GOOD}`),
    [`6:20 ${SO} spec.pollingInterval: "5" is not a whole number`],
  ],
  [
    'a number out of bounds',
    object(`  pollingInterval: 0\n${GOOD}`),
    [`6:20 ${SO} spec.pollingInterval: "0" is not >= 1`],
  ],
  ['a missing field', object(''), [`4:1 ${SO} spec: "triggers" is missing`]],
  [
    'metadata that is no text',
    trigger('{ host: h, length: 7 }'),
    [`8:36 ${SO} spec.triggers[0].metadata.length: "7" is not text (put it in quotes)`],
  ],
  [
    'an unknown trigger type',
    object('  triggers: [{ type: quue, metadata: {} }]'),
    [`6:22 ${SO} spec.triggers[0].type: trigger type "quue" is unknown (did you mean "queue"?)`],
  ],
  [
    'a trigger type of KEDA',
    object('  triggers: [{ type: azure-blob, metadata: {} }]'),
    [`6:22 ${SO} spec.triggers[0].type: trigger type "azure-blob" is not supported yet`],
  ],
  [
    'a missing parameter',
    trigger('{}'),
    [
      `8:7 ${SO} spec.triggers[0].metadata.host is missing: give host in the trigger's metadata, or host in a TriggerAuthentication, or hostFromEnv in the metadata with the name of an environment variable`,
    ],
  ],
  ['a parameter from the environment', trigger('{ hostFromEnv: HOST }'), []],
  ['a parameter from an authentication', trigger('{}', '      authenticationRef: { name: a }'), []],
  [
    'a parameter that is no number',
    trigger('{ host: h, length: many }'),
    [`8:36 ${SO} spec.triggers[0].metadata.length must be a number and not "many"`],
  ],
  [
    'a removed parameter',
    trigger('{ host: h, old: x }'),
    [`8:33 ${SO} spec.triggers[0].metadata.old is no longer supported: use length`],
  ],
  [
    'a parameter that the metadata may no longer have',
    trigger('{ host: h, token: x }'),
    [
      `8:35 ${SO} spec.triggers[0].metadata.token may no longer stand in the metadata: give it in a TriggerAuthentication`,
    ],
  ],
  [
    'the same beside an authentication that may have it',
    trigger('{ host: h, token: x }', '      authenticationRef: { name: a }'),
    [
      `8:35 ${SO} spec.triggers[0].metadata.token may no longer stand in the metadata: give it in a TriggerAuthentication`,
    ],
  ],
  [
    'a rule that is broken beside parameters that are wrong',
    trigger('{ length: "0", old: x }'),
    [
      `8:7 ${SO} spec.triggers[0].metadata.host is missing: give host in the trigger's metadata, or host in a TriggerAuthentication, or hostFromEnv in the metadata with the name of an environment variable`,
      `8:37 ${SO} spec.triggers[0].metadata.old is no longer supported: use length`,
      `8:7 ${SO} spec.triggers[0].metadata: length must be more than 0 and not 0`,
    ],
  ],
  [
    'a misspelt parameter',
    trigger('{ host: h, lenght: "5" }'),
    [
      `8:28 ${SO} spec.triggers[0].metadata.lenght is not a parameter of this trigger (did you mean "length"?)`,
    ],
  ],
  [
    'a rule across parameters',
    trigger('{ host: h, length: "0", mode: slow }'),
    [
      `8:7 ${SO} spec.triggers[0].metadata: length must be more than 0 and not 0`,
      `8:7 ${SO} spec.triggers[0].metadata: password is needed in mode slow`,
    ],
  ],
  [
    'a rule about what the authentication may give',
    trigger('{ host: h, mode: slow }', '      authenticationRef: { name: a }'),
    [],
  ],
  [
    'a metric type for another trigger',
    trigger('{ host: h }', '      metricType: Utilization'),
    [
      `9:19 ${SO} spec.triggers[0].metricType Utilization works for cpu and memory only: use AverageValue or Value`,
    ],
  ],
  [
    'an unknown metric type',
    trigger('{ host: h }', '      metricType: Sum'),
    [
      `9:19 ${SO} spec.triggers[0].metricType must be AverageValue, Value or (cpu and memory) Utilization and not "Sum"`,
    ],
  ],
  [
    'bounds that cross',
    object(`  minReplicaCount: 5\n  maxReplicaCount: 2\n${GOOD}`),
    [`6:20 ${SO} spec.minReplicaCount is 5: it must not be more than maxReplicaCount (2)`],
  ],
  [
    'a way to zero on cpu alone',
    object('  triggers: [{ type: cpu, metricType: Utilization, metadata: { value: "50" } }]'),
    [
      `4:1 ${SO} spec.minReplicaCount is 0: cpu and memory cannot wake a workload from zero, so set it to 1, or add another trigger`,
    ],
  ],
  [
    'two triggers of one name',
    formula('a', 'a a'),
    [`8:28 ${SO} spec.triggers[1].name is "a", as that of trigger 0: names must differ`],
  ],
  [
    'cached metrics of cpu',
    object(
      `${GOOD.replace(']', ',')}\n    { type: cpu, metadata: { value: "1" }, useCachedMetrics: true }]`,
    ),
    [`7:62 ${SO} spec.triggers[1].useCachedMetrics cannot be set for cpu`],
  ],
  ['a formula', formula('(a + b) / 2'), []],
  [
    'a formula that is wrong',
    formula('a + c'),
    [
      `12:20 ${SO} spec.advanced.scalingModifiers.formula: unknown name "c" at column 5 (known: a, b)`,
    ],
  ],
  [
    'a formula in quotes that is wrong',
    formula('"a + c"'),
    [
      `12:21 ${SO} spec.advanced.scalingModifiers.formula: unknown name "c" at column 5 (known: a, b)`,
    ],
  ],
  [
    'a formula of several lines that is wrong',
    formula('|\n        a +\n          c'),
    [
      `14:11 ${SO} spec.advanced.scalingModifiers.formula: unknown name "c" at line 2, column 3 (known: a, b)`,
    ],
  ],
  [
    'a name that formulas cannot use',
    formula('a', 'a my-queue'),
    [
      `8:28 ${SO} spec.triggers[1].name is "my-queue": formulas take letters, digits and "_", beginning with no digit`,
    ],
  ],
  ['a ScaledJob', object(GOOD, 'ScaledJob'), []],
  [
    'a ScaledJob with metricType',
    object(
      trigger('{ host: h }', '      metricType: Value').split('\n').slice(5).join('\n'),
      'ScaledJob',
    ),
    [
      '9:7 ScaledJob orders: spec.triggers[0].metricType: "metricType" is not known here (known: type, name, metadata, authenticationRef, useCachedMetrics)',
    ],
  ],
  [
    'no name',
    'apiVersion: scaler.tsprov.dev/v1alpha1\nkind: ScaledJob\nspec:\n  jobTargetRef: { template: {} }\n' +
      GOOD,
    ['1:1 ScaledJob: metadata.name is missing'],
  ],
  [
    'the group of KEDA',
    object(GOOD).replace('scaler.tsprov.dev', 'keda.sh'),
    [
      '1:13 apiVersion keda.sh/v1alpha1 is that of KEDA (write scaler.tsprov.dev/v1alpha1, or use --compat keda)',
    ],
  ],
  [
    'another version',
    object(GOOD).replace('v1alpha1', 'v1'),
    ['1:13 apiVersion scaler.tsprov.dev/v1 does not exist (the version is v1alpha1)'],
  ],
  [
    'an unknown kind',
    object(GOOD).replace('ScaledObject', 'ScaleObject'),
    ['2:7 kind "ScaleObject" is unknown (did you mean "ScaledObject"?)'],
  ],
  ['no kind', 'apiVersion: scaler.tsprov.dev/v1alpha1', ['1:1 "kind" is missing']],
  ['a text', 'hello', ['1:1 a manifest is a mapping with apiVersion, kind and metadata']],
  [
    'broken YAML',
    'a: [1',
    [
      '1:6 YAML syntax: Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
  ],
  [
    'several documents and a list',
    `${object(GOOD)}\n---\n---\napiVersion: v1\nkind: List\nitems:\n- ${object('').split('\n').slice(0, 5).join('\n  ').replace('orders', 'b')}`,
    ['15:3 ScaledObject b: spec: "triggers" is missing'],
  ],
  [
    'two objects for one target',
    `${object(GOOD)}\n---\n${object(GOOD).replace('orders', 'again')}`,
    [
      '12:27 ScaledObject again: spec.scaleTargetRef.name is "orders": ScaledObject orders already scales this Deployment',
    ],
  ],
  [
    'an identity',
    authentication('podIdentity: { provider: aws, roleArn: r, identityOwner: workload }'),
    [
      '5:28 TriggerAuthentication a: spec.podIdentity.provider aws is not supported yet',
      '5:42 TriggerAuthentication a: spec.podIdentity.roleArn and identityOwner workload exclude each other: keep one',
    ],
  ],
  [
    'an empty identity',
    authentication('podIdentity: { provider: none, identityId: "", externalID: x }'),
    [
      '5:46 TriggerAuthentication a: spec.podIdentity.identityId must not be empty: leave it out to use the default',
      '5:62 TriggerAuthentication a: spec.podIdentity.externalID needs roleArn',
    ],
  ],
  [
    'an OAuth2 client',
    authentication('oauth2: { type: clientCredentials, clientId: c, tokenUrl: nowhere }'),
    [
      '5:61 TriggerAuthentication a: spec.oauth2.tokenUrl must be an http or https URL and not "nowhere"',
      '5:3 TriggerAuthentication a: spec.oauth2 needs clientSecret.valueFrom.secretKeyRef',
    ],
  ],
  [
    'a file in a namespace',
    authentication('filePath: a.json'),
    ['5:13 TriggerAuthentication a: spec.filePath works only in a ClusterTriggerAuthentication'],
  ],
  [
    'a file for the cluster',
    authentication('filePath: a.json', 'ClusterTriggerAuthentication'),
    [],
  ],
  [
    'a login at Vault without a role',
    authentication(
      'hashiCorpVault: { address: "https://v", authentication: kubernetes, secrets: [{ parameter: p, path: x, key: k }] }',
    ),
    [
      '5:59 TriggerAuthentication a: spec.hashiCorpVault.authentication is kubernetes: that needs role',
    ],
  ],
];

describe('checkManifests', () => {
  for (const [title, source, problems] of CASES) {
    it(`tells of ${title}`, () => {
      expect(check(source).problems).to.deep.equal(problems);
    });
  }

  it('tells every problem at once', () => {
    const source = `${trigger('{ lenght: "5", mode: x }', '  cooldownPeriod: -1')}\n---\n${object('')}`;
    expect(check(source).problems).to.have.length(5);
  });

  it('only warns of a parameter that is not near any, and of what fails when the source is asked', () => {
    const { problems, warnings } = check(trigger('{ host: h!, somethingElse: x }'));
    expect(problems).to.deep.equal([]);
    expect(warnings).to.deep.equal([
      `8:7 ${SO} spec.triggers[0].metadata: host must not end in !`,
      `8:29 ${SO} spec.triggers[0].metadata.somethingElse is not a parameter of this trigger`,
    ]);
  });

  it('warns of fields without an effect', () => {
    const fields = '  minReplicaCount: 1\n  cooldownPeriod: 60\n  pollingInterval: 5\n';
    expect(check(object(`${fields}${GOOD}`)).warnings).to.deep.equal([
      `7:19 ${SO} spec.cooldownPeriod has no effect where minReplicaCount is above 0: it only concerns going to zero or idle`,
      `8:20 ${SO} spec.pollingInterval has no effect where minReplicaCount is above 0: the HPA asks in its own rhythm`,
    ]);
    const cached = GOOD.replace('name: q', 'name: q, useCachedMetrics: true');
    expect(check(object(`${fields}${cached}`)).warnings).to.have.length(1);
    expect(check(object(fields.replace('1', '0') + GOOD)).warnings).to.deep.equal([]);
  });

  it('takes manifests of KEDA where it is told', () => {
    expect(check(object(GOOD).replace('scaler.tsprov.dev', 'keda.sh'), 'keda')).to.deep.equal({
      problems: [],
      warnings: [],
      counts: [1, 0],
    });
  });

  it('leaves objects of other APIs to others', () => {
    const service = 'apiVersion: v1\nkind: Service\nmetadata: { name: s }';
    const event = 'apiVersion: events.k8s.io/v1\nkind: Event';
    expect(check(`${service}\n---\n${event}\n---\n${object(GOOD)}`).counts).to.deep.equal([1, 2]);
  });

  it('reads words and dates as kubectl does', () => {
    const { problems } = check(trigger('{ host: 2026-01-02, mode: yes }'));
    expect(problems[0]).to.contain('"true" is not text (put it in quotes)');
  });
});
