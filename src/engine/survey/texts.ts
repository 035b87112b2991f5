/** The texts of a project: what its files define and use, without asking which of them a run will read. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const VAULTED = '$ANSIBLE_VAULT';
/** Beyond this a folder is no project, and nothing is told of it. */
const MOST_FILES = 4000;
const DEEPEST = 8;
const LARGEST_BYTES = 1_000_000;
const SKIPPED = /^(\..*|node_modules|venv|__pycache__|dist)$/;
const DATA_FOLDERS = /^(vars|defaults|group_vars|host_vars|tasks|handlers|meta)$/;

/** One file of a project. */
export interface ProjectText {
  readonly file: string;
  readonly text: string;
}

/** Reads the YAML files and templates below some folders; undefined where they cannot all be read. */
export function projectTexts(
  folders: Iterable<string>,
  decrypt: (text: string) => Buffer,
): readonly ProjectText[] | undefined {
  const files = new Set<string>();
  for (const folder of folders) if (!collect(folder, files, DEEPEST)) return undefined;
  const texts: ProjectText[] = [];
  for (const file of files) {
    const text = readText(file, decrypt);
    if (text === undefined) return undefined;
    texts.push({ file, text });
  }
  return texts;
}

/** False where there is too much of it. */
function collect(folder: string, files: Set<string>, depth: number, isData = false): boolean {
  if (depth === 0) return false;
  const entries = entriesOf(folder);
  const isBelow = (name: string) => isData || DATA_FOLDERS.test(name);
  for (const entry of entries)
    if (!entry.isDirectory() && isText(entry.name, isData)) files.add(join(folder, entry.name));
  if (files.size > MOST_FILES) return false;
  return entries
    .filter((entry) => entry.isDirectory() && !SKIPPED.test(entry.name))
    .every(({ name }) => collect(join(folder, name), files, depth - 1, isBelow(name)));
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Files of variables may have no extension. */
function isText(name: string, isData: boolean): boolean {
  return /\.(ya?ml|json|j2|jinja2?|hbs|ini|cfg)$/.test(name) || (isData && !name.includes('.'));
}

function readText(file: string, decrypt: (text: string) => Buffer): string | undefined {
  try {
    const content = readFileSync(file);
    if (content.length > LARGEST_BYTES) return '';
    const text = content.toString('utf8');
    return text.startsWith(VAULTED) ? decrypt(text).toString('utf8') : text;
  } catch {
    return undefined;
  }
}

const DEFINED = /([A-Za-z_]\w*)["']?\s*[:=](?!=)/g;
const NAMED =
  /\b(?:register|loop_var|index_var|name|var|fact|as)["']?\s*[:=]\s*["']?([A-Za-z_]\w*)/g;
const TEMPLATED_KEY = /^\s*(?:- )?["']?\w*\{\{[^{}\n]*\}\}\w*["']?\s*:/m;

/** Every name that a text may define; undefined where a template makes names. */
export function namesDefined({ text }: ProjectText): readonly string[] | undefined {
  if (TEMPLATED_KEY.test(text)) return undefined;
  return [...text.matchAll(DEFINED), ...text.matchAll(NAMED)].map(([, name = '']) => name);
}
