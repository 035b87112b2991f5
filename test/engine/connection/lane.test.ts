import { expect } from 'chai';
import fc from 'fast-check';
import { closeMarker, Lane, openMarker } from '../../../src/engine/connection/lane.ts';

const nonce = (n: number) => n.toString(16).padStart(32, '0');

/** Reads a stream that arrives in the given pieces; gives what each section held. */
function readSections(pieces: readonly Buffer[], count: number): { text: string; code: number }[] {
  const lane = new Lane();
  const found: { text: string; code: number }[] = [];
  for (let n = 0; n < count; n++) {
    const chunks: Buffer[] = [];
    lane.expect({
      nonce: nonce(n),
      begin: () => {},
      data: (chunk) => chunks.push(chunk),
      end: (code) => found.push({ text: Buffer.concat(chunks).toString('latin1'), code }),
    });
  }
  for (const piece of pieces) lane.push(piece);
  return found;
}

const cut = (bytes: Buffer, at: readonly number[]) => {
  const points = [...new Set(at.map((each) => each % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...points].map((from, i) => bytes.subarray(from, points[i] ?? bytes.length));
};

describe('a lane', () => {
  it('finds every section, wherever the stream is cut and whatever lies between', () => {
    // Bytes of markers, in and out of order, are likelier here than chance would have them.
    const noise = fc
      .array(fc.constantFrom('\x1e', nonce(1), nonce(9), '<', '>', '0', 'text', '\n', 'ÿ'))
      .map((parts) => parts.join(''));
    const section = fc.record({
      before: fc.string(),
      text: noise,
      code: fc.integer({ min: 0, max: 255 }),
    });
    fc.assert(
      fc.property(fc.array(section, { maxLength: 4 }), fc.array(fc.nat()), (sections, cuts) => {
        const clean = sections.map(({ text, ...rest }, n) => ({
          ...rest,
          text: text.replaceAll(nonce(n), ''),
        }));
        const stream = clean
          .map(({ before, text, code }, n) => {
            const noiseBefore = before.replaceAll('\x1e', '');
            return `${noiseBefore}\x1e${openMarker(nonce(n))}${text}\x1e${closeMarker(nonce(n))}${code}\x1e`;
          })
          .join('');
        const found = readSections(cut(Buffer.from(stream, 'latin1'), cuts), clean.length);
        expect(found).to.deep.equal(clean.map(({ text, code }) => ({ text, code })));
      }),
    );
  });

  it('takes many small pieces in linear time', () => {
    const lane = new Lane();
    let size = 0;
    lane.expect({
      nonce: nonce(0),
      begin: () => {},
      data: (chunk) => {
        size += chunk.length;
      },
      end: () => {},
    });
    lane.push(Buffer.from(`\x1e${openMarker(nonce(0))}`));
    for (let i = 0; i < 200_000; i++) lane.push(Buffer.from('\x1e0'));
    expect(size).to.be.within(399_990, 400_000);
  }).timeout(5_000);
});
