import { expect } from 'chai';
import {
  type Container,
  containerOf,
  Environment,
  type ReadData,
} from '../../../src/scaler/authentication/environment.ts';

const STORED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Secret/shop/login': { password: 'p1', USER: 'root' },
  'ConfigMap/shop/settings': { host: 'h1', USER: 'guest' },
};
const read: ReadData = async (kind, namespace, name) => STORED[`${kind}/${namespace}/${name}`];

const secret = (name: string, key: string, optional = false) => ({
  valueFrom: { secretKeyRef: { name, key, optional } },
});
const fromSettings = { configMapRef: { name: 'settings' } };
const fromLogin = { secretRef: { name: 'login' } };

/** What a container declares, and the value of its variable V, or why it has none. */
const CASES: readonly (readonly [string, Omit<Container, 'name'>, string])[] = [
  ['a text', { env: [{ name: 'V', value: 'v' }] }, 'v'],
  ['an empty text', { env: [{ name: 'V' }] }, ''],
  ['a key of a Secret', { env: [{ name: 'V', ...secret('login', 'password') }] }, 'p1'],
  [
    'a key of a ConfigMap',
    { env: [{ name: 'V', valueFrom: { configMapKeyRef: { name: 'settings', key: 'host' } } }] },
    'h1',
  ],
  ['all of a ConfigMap', { envFrom: [fromSettings], env: [{ name: 'V', value: '$(host)' }] }, 'h1'],
  [
    'all of a Secret, with a prefix',
    { envFrom: [{ prefix: 'P_', ...fromLogin }], env: [{ name: 'V', value: '$(P_password)' }] },
    'p1',
  ],
  [
    'the later of two wholes',
    { envFrom: [fromSettings, fromLogin], env: [{ name: 'V', value: '$(USER)' }] },
    'root',
  ],
  [
    'the later of two entries',
    {
      env: [
        { name: 'V', value: '1' },
        { name: 'V', value: '2' },
      ],
    },
    '2',
  ],
  [
    'an earlier entry where an optional key is missing',
    {
      env: [
        { name: 'V', value: '1' },
        { name: 'V', ...secret('login', 'none', true) },
      ],
    },
    '1',
  ],
  [
    'variables in a text',
    {
      env: [
        { name: 'A', value: 'a' },
        { name: 'V', value: '<$(A)$(A)>' },
      ],
    },
    '<aa>',
  ],
  [
    'no variable that is set later',
    {
      env: [
        { name: 'V', value: '$(A)' },
        { name: 'A', value: 'a' },
      ],
    },
    '$(A)',
  ],
  ['a dollar for two', { env: [{ name: 'V', value: '$$(A) 1$$' }] }, '$(A) 1$'],
  [
    'the text up to the first bracket as a name',
    {
      env: [
        { name: 'B', value: 'b' },
        { name: 'V', value: '$(a$(B))' },
      ],
    },
    '$(a$(B))',
  ],
  [
    'nothing for a Secret that is missing',
    { env: [{ name: 'V', ...secret('gone', 'k') }] },
    'Secret shop/gone does not exist',
  ],
  [
    'nothing for a key that is missing',
    { env: [{ name: 'V', ...secret('login', 'k') }] },
    'Secret shop/login has no key "k"',
  ],
  [
    'nothing for a field of the pod',
    { env: [{ name: 'V', valueFrom: { fieldRef: {} } }] },
    'environment variable V comes from a field of the pod, which only the pod knows',
  ],
  [
    'nothing where a whole is missing',
    { envFrom: [{ configMapRef: { name: 'gone' } }] },
    'ConfigMap shop/gone does not exist',
  ],
  [
    'nothing where it is not set',
    { envFrom: [{ configMapRef: { name: 'gone', optional: true } }, fromSettings] },
    'environment variable V is not set in container main of the scale target',
  ],
];

describe('the environment of a container', () => {
  for (const [title, declared, expected] of CASES) {
    it(`gives ${title}`, async () => {
      const environment = new Environment({ name: 'main', ...declared }, 'shop', read);
      const seen = await environment.valueOf('V').catch((error: Error) => error.message);
      expect(seen).to.equal(expected);
    });
  }

  const byKey = [{ name: 'V', ...secret('login', 'password') }];
  for (const [title, declared, name, expected] of [
    ['a variable', { env: [{ name: 'V', value: 'v' }] }, 'V', 'v'],
    ['the key of a Secret that a variable comes from', { env: byKey }, 'password', 'p1'],
    [
      'a key of a whole with a prefix',
      { envFrom: [{ prefix: 'P_', ...fromLogin }] },
      'USER',
      'root',
    ],
    ['nothing that it does not have', { env: byKey, envFrom: [fromSettings] }, 'other', undefined],
  ] as const) {
    it(`finds ${title}`, async () => {
      const environment = new Environment({ name: 'main', ...declared }, 'shop', read);
      expect(await environment.find(name)).to.equal(expected);
    });
  }

  it('is that of the first container, or of the one that is named', () => {
    const template = {
      containers: [{ name: 'a' }, { name: 'b' }],
      initContainers: [{ name: 'i' }],
    };
    expect(containerOf(template, undefined)?.name).to.equal('a');
    expect(containerOf(template, 'i')?.name).to.equal('i');
    expect(() => containerOf(template, 'c')).to.throw('no container "c" (it has: a, b, i)');
  });
});
