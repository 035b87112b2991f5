import { expect } from 'chai';
import { hasRawBytes, toBytes, toText } from '../../src/shared/raw-bytes.ts';
import { sh } from '../../src/shared/shell.ts';

describe('bytes that are no UTF-8', () => {
  for (const hex of ['ff0080', '4ae974', 'eda080', 'f09f9880', 'e29c', 'efbbbf61', '']) {
    it(`stand in a text and come out as they were: ${hex || 'none'}`, () => {
      const bytes = Buffer.from(hex, 'hex');
      expect(toBytes(toText(bytes)).toString('hex')).to.equal(hex);
    });
  }

  it('stand as Python has them, and leave other text alone', () => {
    expect(toText(Buffer.from('4ae974', 'hex'))).to.equal('J\udce9t');
    expect(toText(Buffer.from('é😀'))).to.equal('é😀');
    expect([hasRawBytes('J\udce9t'), hasRawBytes('é😀')]).to.deep.equal([true, false]);
  });

  it('are refused in commands', () => {
    expect(() => sh`cat ${toText(Buffer.from([0xe9]))}`).to.throw('bytes that are no UTF-8');
  });
});
