import { expect } from 'chai';
import { parseWarnings } from '../../src/kubernetes/warnings.ts';

describe('warnings of the API server', () => {
  const headers: Readonly<Record<string, readonly [string | string[] | undefined, string[]]>> = {
    'are none without the header': [undefined, []],
    'are several in one line': [
      '299 - "first, of two", 299 - "second"',
      ['first, of two', 'second'],
    ],
    'are several lines': [
      ['299 - "a"', '299 kube "b"'],
      ['a', 'b'],
    ],
    'keep quotes that are escaped': [
      '299 - "unknown field \\"spec.x\\""',
      ['unknown field "spec.x"'],
    ],
  };
  for (const [what, [header, texts]] of Object.entries(headers)) {
    it(what, () => expect(parseWarnings(header)).to.deep.equal(texts));
  }
});
