/** Writes the pages of `docs/` that are made of the scaler's own declarations. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { renderScalerDocs } from './scaler-docs.ts';

const DOCS = fileURLToPath(new URL('../docs/', import.meta.url));

for (const [path, text] of renderScalerDocs()) writeFileSync(`${DOCS}${path}`, text);
