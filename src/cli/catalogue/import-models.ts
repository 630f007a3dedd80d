import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeModelLines, type CatalogueSource } from '../../catalogue/model-lines.ts';
import type { ModelRecord } from '../../catalogue/model-record.ts';
import { compileRates } from '../../catalogue/prices/price.ts';
import { readMediaPrices } from '../../catalogue/sources/media-prices.ts';
import { mergeModels } from '../../catalogue/sources/merge.ts';
import { readModelsDev } from '../../catalogue/sources/models-dev.ts';
import { withPublishedDeprecations } from '../../catalogue/sources/published-deprecations.ts';
import { withPublishedPrices } from '../../catalogue/sources/published-prices.ts';
import { readToolPrices, withToolPrices } from '../../catalogue/sources/hosted-tool-prices.ts';
import { importedProviders } from './imported-providers.ts';

const usage = `Usage: npm run import-models -- <models-dev.json> [<media-prices> <YYYY-MM-DD>]

Writes src/catalogue/snapshot.jsonl from models.dev's api.json, and from a folder of Portkey's price files with the date
when they were read, which they do not state. The prices in
sources/published-prices.json and the dates in sources/published-deprecations.json are added.
`;

const [modelsDevFile, mediaFolder, mediaDate = ''] = process.argv.slice(2);
if (modelsDevFile === undefined || modelsDevFile === '--help') stop(modelsDevFile === undefined ? 2 : 0);
if (mediaFolder !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(mediaDate)) stop(2);

const modelsDev = readModelsDev(readJson(modelsDevFile), new Date().toISOString().slice(0, 10), importedProviders);
const sources: CatalogueSource[] = [modelsDev.source];
let models: readonly ModelRecord[] = modelsDev.models;
if (mediaFolder !== undefined) {
  const priceVersion = `portkey@${mediaDate}`;
  sources.push({ name: 'Portkey (github.com/Portkey-AI/models)', licence: 'MIT, see NOTICE-portkey', date: mediaDate });
  const files = importedProviders.flatMap((provider) => {
    const file = join(mediaFolder, `${provider.mediaPrices}.json`);
    return provider.mediaPrices !== undefined && existsSync(file) ? [{ provider, file: readJson(file) }] : [];
  });
  const media = files.flatMap(({ provider, file }) => readMediaPrices(provider, file, priceVersion));
  const tools = files.flatMap(({ provider, file }) => [...readToolPrices(provider, file)]);
  models = withToolPrices(mergeModels(models, media), new Map(tools), priceVersion);
}
models = withPublishedPrices(
  models,
  readJson(new URL('../../catalogue/sources/published-prices.json', import.meta.url)),
);
models = withPublishedDeprecations(
  models,
  readJson(new URL('../../catalogue/sources/published-deprecations.json', import.meta.url)),
);
for (const { rates } of models) if (rates) compileRates(rates);
writeFileSync(new URL('../../catalogue/snapshot.jsonl', import.meta.url), writeModelLines({ sources }, models));
process.stdout.write(`${models.length} models written\n`);

function readJson(file: string | URL): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function stop(code: number): never {
  (code === 0 ? process.stdout : process.stderr).write(usage);
  process.exit(code);
}
