/** Reads what the command line names. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { InvalidInput } from '../../shared/errors.ts';

export interface InputFile {
  /** How messages name it. */
  readonly file: string;
  readonly text: string;
}

const MANIFEST = /\.(?:ya?ml|json)$/;

/**
 * The texts of files, of the manifests in directories, and of the standard input for `-`.
 * @throws {InvalidInput} naming every one that cannot be read.
 */
export async function readInputs(names: readonly string[]): Promise<readonly InputFile[]> {
  const problems: { readonly message: string }[] = [];
  const inputs: InputFile[] = [];
  for (const name of names) {
    try {
      inputs.push(...(await readInput(name)));
    } catch (error) {
      problems.push({ message: `${name} cannot be read: ${(error as Error).message}` });
    }
  }
  if (problems.length > 0) throw new InvalidInput(problems);
  return inputs;
}

async function readInput(name: string): Promise<readonly InputFile[]> {
  if (name === '-') return [{ file: '<stdin>', text: await text(process.stdin) }];
  const files = statSync(name).isDirectory()
    ? readdirSync(name)
        .filter((entry) => MANIFEST.test(entry))
        .sort()
        .map((entry) => join(name, entry))
    : [name];
  return files.map((file) => ({ file, text: readFileSync(file, 'utf8') }));
}
