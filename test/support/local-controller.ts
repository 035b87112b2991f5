/** The controller's side of a task, with the files of this machine. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Jinja } from '../../src/engine/jinja/jinja.ts';
import type { Controller } from '../../src/engine/module.ts';
import { TaskError } from '../../src/engine/module.ts';
import { toPlain } from '../../src/engine/values.ts';
import { parseAllYamlData } from '../../src/engine/yaml.ts';

/** A controller whose playbook lies in a directory. Templates see no variables. */
export function localController(playbookDir: string): Controller {
  const jinja = new Jinja();
  return {
    playbookDir,
    notes: new Map(),
    findFile(kind, name) {
      const path = resolve(playbookDir, name);
      if (existsSync(path)) return path;
      throw new TaskError(`could not find or access '${kind}/${name}'`);
    },
    readFile: (file) => readFileSync(file),
    isVault: () => false,
    loadVariables: () => new Map(),
    readData: () => undefined,
    parseDocuments: (text, origin) => parseAllYamlData(text, origin).map(toPlain),
    renderTemplate(file, { destination: _, ...syntax } = {}) {
      const scope = { get: () => undefined, names: () => [] };
      const text = readFileSync(file, 'utf8');
      return jinja.renderTemplateFile(text, { file, syntax }, scope, { searchPath: [playbookDir] });
    },
  };
}
