/** Writes the reference pages of `docs/triggers/` and `docs/triggers.schema.json` from the triggers. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { renderTriggerDocs } from './trigger-docs.ts';

const DOCS = fileURLToPath(new URL('../docs/', import.meta.url));

mkdirSync(`${DOCS}triggers`, { recursive: true });
for (const page of readdirSync(`${DOCS}triggers`)) rmSync(`${DOCS}triggers/${page}`);
for (const [path, text] of renderTriggerDocs()) writeFileSync(`${DOCS}${path}`, text);
