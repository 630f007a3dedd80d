import { readFileSync, writeFileSync } from 'node:fs';
import { buildOpenApiDocument } from './document.ts';

/** Writes `schema/openapi.json`; with `--check` only compares it with the code. */
const file = new URL('../../../schema/openapi.json', import.meta.url);
const text = `${JSON.stringify(buildOpenApiDocument(), null, 1)}\n`;
if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  process.stderr.write('schema/openapi.json is out of date: run `npm run generate` and commit it.\n');
  process.exit(1);
}
