import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { mustRun } from '../run-command.ts';

const SIZE_KIB = 65_536;

/** The firmware of a Raspberry Pi, as a test plays it: a FAT partition, and the file of it that every start reads. */
export interface Firmware {
  /** Files of the partition, by their paths in it. */
  readonly files: Readonly<Record<string, string>>;
  /** The one whose first line is the kernel's command line. */
  readonly lineFile: string;
  /** What stands before it, as a device tree has it. */
  readonly before?: string;
}

/** Makes the partition as the image of a disk. */
export async function makePartition({ files }: Firmware, image: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tsprov-firmware-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  await mustRun('mkfs.vfat', ['-C', image, String(SIZE_KIB)]);
  await mustRun('sh', ['-c', 'mcopy -s -i "$1" "$2"/* ::', 'sh', image, folder]);
  await rm(folder, { recursive: true });
}

/** The command line that the firmware gives to the kernel: the first line and nothing else. */
export async function readLine(firmware: Firmware, image: string): Promise<string> {
  const text = await mustRun('mtype', ['-i', image, `::${firmware.lineFile}`]);
  return `${firmware.before ?? ''} ${text.split('\n')[0]}`.trim();
}
