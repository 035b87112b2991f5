/** The clock of a process, which a test sets as an administrator sets that of a machine: what measures durations runs on. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** How often the process looks what its clock says. */
const LOOK_SECONDS = 1;

export class SettableClock {
  /** For the process. */
  readonly env: Readonly<Record<string, string>>;
  readonly #folder: string;
  readonly #file: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#file = join(folder, 'offset');
    this.env = {
      // The dynamic linker knows $LIB.
      LD_PRELOAD: '/usr/$LIB/faketime/libfaketimeMT.so.1',
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_CACHE_DURATION: String(LOOK_SECONDS),
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  /** One that is right. */
  static async create(): Promise<SettableClock> {
    const clock = new SettableClock(await mkdtemp(join(tmpdir(), 'clock-')));
    await clock.set(0);
    return clock;
  }

  /** Sets it so many seconds before or after the right time; resolves when the process has seen it. */
  async set(seconds: number): Promise<void> {
    await writeFile(this.#file, `${seconds < 0 ? '' : '+'}${seconds}`);
    await delay(2 * LOOK_SECONDS * 1000);
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true });
  }
}
