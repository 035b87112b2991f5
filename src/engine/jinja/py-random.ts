import { createHash, randomBytes } from 'node:crypto';

const SIZE = 624;
const SHIFT = 397;

/**
 * Python's random.Random: the Mersenne Twister MT19937, seeded and read as CPython does, so that
 * `random(seed=...)` picks what Ansible picks.
 */
export class PyRandom {
  readonly #state = new Uint32Array(SIZE);
  #index = SIZE;

  /** Seeds with a text or an integer as Python does; without a seed, from the system. */
  constructor(seed?: string | bigint) {
    if (seed === undefined) this.#seedArray(keyOf(BigInt(`0x${randomBytes(32).toString('hex')}`)));
    else this.#seedArray(keyOf(typeof seed === 'bigint' ? absolute(seed) : textSeed(seed)));
  }

  #seedWord(seed: number): void {
    const state = this.#state;
    state[0] = seed;
    for (let i = 1; i < SIZE; i++) {
      const previous = at(state, i - 1);
      state[i] = Math.imul(1812433253, previous ^ (previous >>> 30)) + i;
    }
  }

  #seedArray(key: readonly number[]): void {
    this.#seedWord(19650218);
    let [i, j] = [1, 0];
    for (let left = Math.max(SIZE, key.length); left > 0; left--) {
      this.#mix(i, 1664525, (key[j] ?? 0) + j);
      i = this.#advance(i);
      j = (j + 1) % key.length;
    }
    for (let left = SIZE - 1; left > 0; left--) {
      this.#mix(i, 1566083941, -i);
      i = this.#advance(i);
    }
    this.#state[0] = 0x80000000;
  }

  #mix(i: number, factor: number, added: number): void {
    const previous = at(this.#state, i - 1);
    this.#state[i] = (at(this.#state, i) ^ Math.imul(previous ^ (previous >>> 30), factor)) + added;
  }

  #advance(i: number): number {
    if (i + 1 < SIZE) return i + 1;
    this.#state[0] = at(this.#state, SIZE - 1);
    return 1;
  }

  #generate(): void {
    const state = this.#state;
    for (let i = 0; i < SIZE; i++) {
      const y = (at(state, i) & 0x80000000) | (at(state, (i + 1) % SIZE) & 0x7fffffff);
      state[i] = at(state, (i + SHIFT) % SIZE) ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
    }
    this.#index = 0;
  }

  #word(): number {
    if (this.#index >= SIZE) this.#generate();
    let y = at(this.#state, this.#index);
    this.#index += 1;
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }

  #bits(count: number): bigint {
    let value = 0n;
    let shift = 0n;
    for (let left = count; left > 0; left -= 32) {
      const word = left < 32 ? this.#word() >>> (32 - left) : this.#word();
      value |= BigInt(word) << shift;
      shift += 32n;
    }
    return value;
  }

  /** A number from 0 to below the bound, which is positive. */
  below(bound: bigint): bigint {
    const length = bound.toString(2).length;
    let value = this.#bits(length);
    while (value >= bound) value = this.#bits(length);
    return value;
  }

  /** One of the items, of which there is at least one. */
  choice<T>(items: readonly T[]): T {
    const index = Number(this.below(BigInt(items.length)));
    return items[index] as T; // The index is within the list.
  }

  /** The items in a random order. */
  shuffled<T>(items: readonly T[]): T[] {
    const list = [...items];
    for (let i = list.length - 1; i > 0; i--) {
      const j = Number(this.below(BigInt(i + 1)));
      [list[i], list[j]] = [list[j] as T, list[i] as T]; // Both are within the list.
    }
    return list;
  }
}

function at(state: Uint32Array, index: number): number {
  return state[index] ?? 0;
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function textSeed(text: string): bigint {
  const bytes = Buffer.from(text, 'utf8');
  const digest = createHash('sha512').update(bytes).digest();
  return BigInt(`0x${Buffer.concat([bytes, digest]).toString('hex')}`);
}

const HASH_BITS = 61n;
const HASH_MODULUS = (1n << HASH_BITS) - 1n;
const HASH_OF_INFINITY = 314159n;

/** The seed that Python makes of a float: its hash, the remainder of the fraction by a Mersenne prime. */
export function floatSeed(value: number): bigint | undefined {
  if (Number.isNaN(value)) return undefined;
  if (!Number.isFinite(value))
    return BigInt.asUintN(64, BigInt(Math.sign(value)) * HASH_OF_INFINITY);
  let [numerator, shift] = [Math.abs(value), 0n];
  for (; !Number.isInteger(numerator); numerator *= 2) shift += 1n;
  // Dividing by 2 is a rotation among so many bits.
  const turns = (HASH_BITS - (shift % HASH_BITS)) % HASH_BITS;
  const hash = ((BigInt(numerator) % HASH_MODULUS) << turns) % HASH_MODULUS;
  // No hash of Python is -1.
  return BigInt.asUintN(64, value === -1 ? -2n : value < 0 ? -hash : hash);
}

/** The seed in words of 32 bits, the least significant first. */
function keyOf(seed: bigint): readonly number[] {
  const words: number[] = [];
  for (let rest = seed; rest > 0n; rest >>= 32n) words.push(Number(rest & 0xffffffffn));
  return words.length === 0 ? [0] : words;
}
