import { readFileSync, writeFileSync } from 'node:fs';
import { providers } from '../../providers/registry.ts';
import { describeProviders } from './provider-list.ts';

/** Writes `docs/provider-list.md`; with `--check` only compares it with the code. */
const file = new URL('../../../docs/provider-list.md', import.meta.url);
const text = describeProviders(providers);
if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  process.stderr.write('docs/provider-list.md is out of date: run `npm run generate` and commit it.\n');
  process.exit(1);
}
