import { expect } from 'chai';
import fc from 'fast-check';
import { closeMarker, exitMarker, Lane, openMarker } from '../../../src/engine/connection/lane.ts';

const nonce = (n: number) => n.toString(16).padStart(32, '0');

/** Reads a stream that arrives in the given pieces; gives what each section held. */
interface Found {
  readonly text: string;
  readonly code: number;
}

function readSections(pieces: readonly Buffer[], count: number): Found[] {
  const lane = new Lane();
  const found: Found[] = [];
  for (let n = 0; n < count; n++) {
    const chunks: Buffer[] = [];
    let ended = -1;
    lane.expect({
      nonce: nonce(n),
      begin: () => {},
      data: (chunk) => chunks.push(chunk),
      exit: (code) => {
        ended = code;
      },
      end: () => found.push({ text: Buffer.concat(chunks).toString('latin1'), code: ended }),
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
      late: noise,
    });
    fc.assert(
      fc.property(fc.array(section, { maxLength: 4 }), fc.array(fc.nat()), (sections, cuts) => {
        const clean = sections.map(({ text, late, ...rest }, n) => ({
          ...rest,
          text: text.replaceAll(nonce(n), ''),
          late: late.replaceAll(nonce(n), ''),
        }));
        const stream = clean
          .map(({ before, text, code, late }, n) => {
            const noiseBefore = before.replaceAll('\x1e', '');
            const [open, exit, close] = [openMarker, exitMarker, closeMarker].map(
              (marker) => `\x1e${marker(nonce(n))}`,
            );
            return `${noiseBefore}${open}${text}${exit}${code}\x1e${late}${close}\x1e`;
          })
          .join('');
        const found = readSections(cut(Buffer.from(stream, 'latin1'), cuts), clean.length);
        expect(found).to.deep.equal(
          clean.map(({ text, code, late }) => ({ text: text + late, code })),
        );
      }),
    );
  });

  it('takes many small pieces in linear time', () => {
    const before = process.cpuUsage();
    const lane = new Lane();
    let size = 0;
    lane.expect({
      nonce: nonce(0),
      begin: () => {},
      data: (chunk) => {
        size += chunk.length;
      },
      exit: () => {},
      end: () => {},
    });
    lane.push(Buffer.from(`\x1e${openMarker(nonce(0))}`));
    for (let i = 0; i < 200_000; i++) lane.push(Buffer.from('\x1e0'));
    expect(size).to.be.within(399_990, 400_000);
    expect(process.cpuUsage(before).user, 'microseconds').to.be.below(5_000_000);
  });
});
