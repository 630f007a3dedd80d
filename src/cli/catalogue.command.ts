import { readFileSync } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { Catalogue, shippedCatalogue, UPDATED_CATALOGUE } from '../catalogue/catalogue.ts';
import { updatedCatalogue } from '../catalogue/update-catalogue.ts';
import { loadEnvironment, loadFile } from '../config/configuration.ts';
import type { Environment } from '../config/environment.ts';
import { makeFolder } from '../database/data-folder.ts';
import { providerAliases } from '../providers/registry.ts';
import { describeModel } from './catalogue/describe-model.ts';
import { importedProviders } from './catalogue/imported-providers.ts';

const MODELS_DEV = 'https://models.dev/api.json';
const FETCH_TIMEOUT_MS = 60_000;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_SUGGESTIONS = 20;

const OFFLINE_HINT =
  'If this machine has no access to it, download the document elsewhere and run `sluice catalogue update <file>`.\n';

const usage = `Usage:
  sluice catalogue show <model> [--json]         show the metadata and prices of a model
  sluice catalogue update [<file or URL>]        import models and prices in the format of models.dev's api.json

Without a file or URL, the update is downloaded from ${MODELS_DEV}. It is stored in the data folder. The
server applies it at its next start, or when sluice.yaml changes. Prices under \`models\` in sluice.yaml take precedence.

Examples:
  sluice catalogue show openai/gpt-5.5
  sluice catalogue show claude-sonnet-4-6 --json
  sluice catalogue update
  sluice catalogue update ./api.json
  sluice catalogue update https://mirror.example.com/api.json
`;

/** @returns the exit code */
export async function catalogueCommand(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { help: { type: 'boolean' }, json: { type: 'boolean' } },
  });
  const [action, subject, ...more] = positionals;
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  if (more.length > 0) return refuse(usage, 2);
  if (action === 'show' && subject !== undefined) return show(subject, values.json ?? false);
  if (action === 'update') return update(subject ?? MODELS_DEV);
  return refuse(usage, 2);
}

async function show(given: string, asJson: boolean): Promise<number> {
  const file = await loadFile();
  const catalogue = new Catalogue({ updated: updatedFile(loadEnvironment()), overrides: file.models });
  const name = withCanonicalProvider(given);
  const known = catalogue.get(name);
  const overridden = Object.keys(file.models).map((id) => id.slice(0, id.indexOf('/')));
  const providers = [...new Set([...importedProviders.map(({ id }) => id), ...overridden])];
  const found = known ? [known] : providers.flatMap((id) => catalogue.get(`${id}/${name}`) ?? []);
  if (found.length === 0) return refuse(notFound(catalogue, name), 1);
  process.stdout.write(
    asJson ? `${JSON.stringify(known ?? found, null, 2)}\n` : found.map((model) => describeModel(model)).join('\n'),
  );
  return 0;
}

/** `google/gemini-…` as `gemini/gemini-…`. */
function withCanonicalProvider(name: string): string {
  const [provider = '', ...model] = name.split('/');
  return [providerAliases.get(provider) ?? provider, ...model].join('/');
}

function notFound(catalogue: Catalogue, name: string): string {
  const part = name.toLowerCase();
  const similar = importedProviders
    .flatMap(({ id }) => catalogue.ofProvider(id))
    .filter(({ id }) => id.toLowerCase().includes(part))
    .slice(0, MAX_SUGGESTIONS);
  const hint = similar.map(({ id }) => `  ${id}\n`).join('');
  return `The catalogue has no model ${name}.\n${hint === '' ? '' : `\nSimilar models:\n${hint}`}`;
}

async function update(source: string): Promise<number> {
  try {
    const json = isUrl(source) ? await download(source) : await readFile(source, 'utf8');
    const today = new Date().toISOString().slice(0, 10);
    const made = updatedCatalogue(json, readFileSync(shippedCatalogue, 'utf8'), today, importedProviders);
    const file = updatedFile(loadEnvironment());
    await replaceFile(file, made.text);
    process.stdout.write(
      `Imported ${made.models} models of ${made.date} into ${file}; ${made.changedPrices} have prices that differ from the shipped catalogue.\n` +
        'The server applies them at its next start, or when sluice.yaml changes.\n',
    );
    return 0;
  } catch (error) {
    const elsewhere = isUrl(source) ? OFFLINE_HINT : '';
    return refuse(`The catalogue was not changed: ${source}: ${reason(error)}\n${elsewhere}`, 1);
  }
}

function isUrl(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

async function download(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`the server returned status ${response.status}`);
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > MAX_BYTES) throw new RangeError(`the document is larger than ${MAX_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function updatedFile({ SLUICE_DATA_DIR }: Environment): string {
  return join(resolve(SLUICE_DATA_DIR), UPDATED_CATALOGUE);
}

/** Atomic: a server that starts at the same time reads either the old or the new file. */
async function replaceFile(file: string, text: string): Promise<void> {
  await makeFolder(resolve(file, '..'));
  const written = `${file}.${process.pid}`;
  const opened = await open(written, 'w', 0o600);
  try {
    await opened.writeFile(text);
    await opened.sync();
  } finally {
    await opened.close();
  }
  await rename(written, file);
}

function reason(error: unknown): string {
  if (error instanceof z.ZodError) {
    const [issue] = error.issues;
    return `the document does not have the format of models.dev's api.json: ${issue?.path.join('.') || 'the document'}: ${issue?.message}`;
  }
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no response within ${FETCH_TIMEOUT_MS / 1_000} s`;
  return error.cause instanceof Error ? `${error.message} (${error.cause.message || 'no connection'})` : error.message;
}

function refuse(text: string, code: number): number {
  process.stderr.write(text);
  return code;
}
