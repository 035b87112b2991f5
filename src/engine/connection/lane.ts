/** Cuts one stream of a persistent shell into the outputs of its scripts. */

/** The output of one script on one stream, delimited by markers that only this script's frame knows. */
export interface Section {
  /** 32 hexadecimal digits that the script cannot know. */
  readonly nonce: string;
  begin(): void;
  data(chunk: Buffer): void;
  /** The script has ended; a process that it left behind may still print. */
  exit(code: number): void;
  end(): void;
}

/** First byte of every marker: ASCII record separator. */
const MARK = 0x1e;

/** The text after the mark that opens a section. */
export const openMarker = (nonce: string): string => `${nonce}<`;

/** The text after the mark that tells the end of the script; the exit code and another mark follow. */
export const exitMarker = (nonce: string): string => `${nonce}>`;

/** The text after the mark that closes a section; another mark follows. */
export const closeMarker = (nonce: string): string => `${nonce}.`;

/** Reads the sections of one stream in the order in which they are expected. What lies between sections is dropped. */
export class Lane {
  readonly #expected: Section[] = [];
  #inside = false;
  #carry: Buffer = Buffer.alloc(0);

  expect(section: Section): void {
    this.#expected.push(section);
  }

  push(chunk: Buffer): void {
    let rest: Buffer | undefined =
      this.#carry.length === 0 ? chunk : Buffer.concat([this.#carry, chunk]);
    this.#carry = Buffer.alloc(0);
    while (rest !== undefined) rest = this.#advance(rest);
  }

  /** Handles data up to one marker; gives what follows it, or undefined when more has to arrive. */
  #advance(data: Buffer): Buffer | undefined {
    const [section] = this.#expected;
    if (section === undefined || data.length === 0) return undefined;
    // What follows the nonce tells which of the two markers inside a section it is.
    const text = this.#inside ? section.nonce : openMarker(section.nonce);
    const marker = Buffer.from(`\x1e${text}`, 'latin1');
    const at = data.indexOf(marker);
    if (at < 0) return this.#keepTail(section, data, marker);
    return this.#inside
      ? this.#leave(section, data, at, marker.length)
      : this.#open(section, data.subarray(at + marker.length));
  }

  #open(section: Section, rest: Buffer): Buffer {
    this.#inside = true;
    section.begin();
    return rest;
  }

  #leave(section: Section, data: Buffer, at: number, length: number): Buffer | undefined {
    if (at > 0) section.data(data.subarray(0, at));
    const end = data.indexOf(MARK, at + length);
    if (end < 0) {
      this.#carry = data.subarray(at);
      return undefined;
    }
    const said = data.toString('latin1', at + length, end);
    if (said.startsWith('>')) section.exit(Number(said.slice(1)));
    else this.#close(section);
    return data.subarray(end + 1);
  }

  #close(section: Section): void {
    this.#inside = false;
    this.#expected.shift();
    section.end();
  }

  /** Passes data on, but for an end that may be the beginning of the marker. */
  #keepTail(section: Section, data: Buffer, marker: Buffer): undefined {
    const at = data.lastIndexOf(MARK);
    const whole = at < 0 || !marker.subarray(0, data.length - at).equals(data.subarray(at));
    const cut = whole ? data.length : at;
    if (this.#inside && cut > 0) section.data(data.subarray(0, cut));
    this.#carry = data.subarray(cut);
  }
}
