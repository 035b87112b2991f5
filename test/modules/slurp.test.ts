import { expect } from 'chai';
import { type Reader, TaskError } from '../../src/engine/module.ts';
import { slurp } from '../../src/modules/slurp.ts';

describe('slurp', () => {
  for (const [reason, message] of [
    ['Permission denied', 'File is not readable: /root/x'],
    ['Input/output error', '"/root/x" cannot be examined: Input/output error'],
  ]) {
    it(`says what is wrong where the host answers: ${reason}`, async () => {
      const path = () => Promise.reject(new TaskError(`"/root/x" cannot be examined: ${reason}`));
      const host = { path } as unknown as Reader; // It asks for nothing else.
      const thrown = await slurp.probe(host, { src: '/root/x' }).catch(String);
      expect(thrown).to.equal(`TaskError: ${message}`);
    });
  }
});
