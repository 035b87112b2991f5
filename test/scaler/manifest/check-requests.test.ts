import { expect } from 'chai';
import { checkManifests } from '../../../src/scaler/manifest/check-manifests.ts';
import { readManifests } from '../../../src/scaler/manifest/read-manifests.ts';
import { triggers } from '../../../src/scaler/triggers/registry.ts';

const source = (resources: string, trigger: string, name = 'orders') => `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  template:
    spec:
      containers:
      - { name: app, resources: ${resources} }
      - { name: proxy, resources: { requests: { cpu: 1, memory: 1Mi } } }
---
apiVersion: scaler.tsprov.dev/v1alpha1
kind: ScaledObject
metadata: { name: orders }
spec:
  minReplicaCount: 1
  scaleTargetRef: { name: orders }
  triggers: [{ metricType: Utilization, ${trigger} }]
`;
const CPU = 'type: cpu, metadata: { value: "50" }';
const MEMORY = 'type: memory, metadata: { value: "50" }';
const WARNING =
  /needs a request: container app of Deployment orders has no resources[.]requests[.]/;

/** Resources of the container, a trigger, the name of the workload, and whether there is a warning. */
const CASES = [
  ['nothing for cpu', '{}', CPU, 'orders', true],
  ['only memory for cpu', '{ requests: { memory: 1Mi } }', CPU, 'orders', true],
  ['only cpu for memory', '{ requests: { cpu: 1 } }', MEMORY, 'orders', true],
  ['a request for cpu', '{ requests: { cpu: 100m } }', CPU, 'orders', false],
  ['a limit for cpu', '{ limits: { cpu: 100m } }', CPU, 'orders', false],
  [
    'nothing, where another container counts',
    '{}',
    CPU.replace('{', '{ containerName: proxy,'),
    'orders',
    false,
  ],
  ['nothing, and is another workload', '{}', CPU, 'other', false],
] as const;

describe('a workload among the manifests', () => {
  for (const [title, resources, trigger, name, isWarned] of CASES) {
    it(`that requests ${title} is ${isWarned ? 'warned of' : 'fine'}`, () => {
      const { manifests } = readManifests(source(resources, trigger, name), 'f');
      const { problems, warnings } = checkManifests(manifests, triggers, 'tsprov');
      expect(problems).to.deep.equal([]);
      expect(warnings.map(({ message }) => WARNING.test(message))).to.deep.equal(
        isWarned ? [true] : [],
      );
    });
  }
});
