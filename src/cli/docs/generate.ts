import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import { rolesMarkdown } from '../../services/authorization/roles-table.ts';
import { commandReference } from './command-reference.ts';
import { configReference } from './config-reference.ts';
import { environmentReference } from './environment-reference.ts';
import { errorReference } from './error-reference.ts';
import { metricsReference } from './metrics-reference.ts';
import { dataPolicyReference, providerReference } from './provider-reference.ts';

/** The generated parts of docs: each stands between `<!-- generated: name -->` and `<!-- /generated -->`. */
const parts: readonly (readonly [page: string, name: string, text: () => string])[] = [
  ['docs/configuration.md', 'environment', environmentReference],
  ['docs/configuration.md', 'sluice.yaml', configReference],
  ['docs/api/errors.md', 'errors', errorReference],
  ['docs/operations/metrics.md', 'metrics', metricsReference],
  ['docs/operations/cli.md', 'commands', commandReference],
  ['docs/accounts/teams.md', 'roles', rolesMarkdown],
  ['docs/provider-list.md', 'providers', providerReference],
  ['docs/providers.md', 'data policies', dataPolicyReference],
];

for (const page of new Set(parts.map(([path]) => path))) writeOrCheck(page);

/** Writes the page; with `--check` only reports whether it would change. */
function writeOrCheck(path: string): void {
  const file = new URL(`../../../${path}`, import.meta.url);
  const before = readFileSync(file, 'utf8');
  let text = before;
  for (const [page, name, generate] of parts) if (page === path) text = withPart(text, name, generate());
  if (text === before) return;
  if (!process.argv.includes('--check')) return writeFileSync(file, text);
  process.stderr.write(`${path} is out of date: run \`npm run generate\` and commit it.\n`);
  process.exitCode = 1;
}

function withPart(page: string, name: string, part: string): string {
  const start = `<!-- generated: ${name} -->\n`;
  const [before, rest] = page.split(start);
  const end = rest?.indexOf('\n<!-- /generated -->') ?? -1;
  if (before === undefined || rest === undefined || end < 0) throw new Error(`no generated part ${name} in the page`);
  return `${before}${start}${part}${rest.slice(end)}`;
}
