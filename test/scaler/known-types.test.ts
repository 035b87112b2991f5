import { expect } from 'chai';
import { describeUnknownType } from '../../src/scaler/known-types.ts';

describe('a trigger type that is not built', () => {
  for (const [type, message] of [
    ['azure-blob', 'trigger type "azure-blob" is not supported yet'],
    ['azure-cosmosdb', 'trigger type "azure-cosmosdb" is not supported yet'],
    ['promethus', 'trigger type "promethus" is unknown (did you mean "prometheus"?)'],
    ['mqtt', 'trigger type "mqtt" is unknown (there are cron, kafka)'],
  ] as const) {
    it(`is told as what it is: ${type}`, () => {
      expect(describeUnknownType(type, ['kafka', 'cron'])).to.equal(message);
    });
  }
});
