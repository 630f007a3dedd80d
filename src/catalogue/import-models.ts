import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeModelLines, type CatalogueSource } from './model-lines.ts';
import type { ModelRecord } from './model-record.ts';
import { readMediaPrices } from './sources/media-prices.ts';
import { mergeModels } from './sources/merge.ts';
import { readModelsDev } from './sources/models-dev.ts';
import { importedProviders } from './sources/provider-ids.ts';

const usage = `Usage: node src/catalogue/import-models.ts <models-dev.json> [<media-prices> <YYYY-MM-DD>]

Writes src/catalogue/snapshot.jsonl from models.dev's api.json, and from a folder of Portkey's price files with the date
when they were read: they tell none.
`;

const [modelsDevFile, mediaFolder, mediaDate = ''] = process.argv.slice(2);
if (modelsDevFile === undefined || modelsDevFile === '--help') stop(modelsDevFile === undefined ? 2 : 0);
if (mediaFolder !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(mediaDate)) stop(2);

const modelsDev = readModelsDev(readJson(modelsDevFile), new Date().toISOString().slice(0, 10));
const sources: CatalogueSource[] = [modelsDev.source];
let models: readonly ModelRecord[] = modelsDev.models;
if (mediaFolder !== undefined) {
  const priceVersion = `portkey@${mediaDate}`;
  sources.push({ name: 'Portkey (github.com/Portkey-AI/models)', licence: 'MIT, see NOTICE-portkey', date: mediaDate });
  const media = importedProviders.flatMap((provider) => {
    const file = join(mediaFolder, `${provider.mediaPrices}.json`);
    return provider.mediaPrices !== undefined && existsSync(file)
      ? readMediaPrices(provider, readJson(file), priceVersion)
      : [];
  });
  models = mergeModels(models, media);
}
writeFileSync(new URL('snapshot.jsonl', import.meta.url), writeModelLines({ sources }, models));
process.stdout.write(`${models.length} models written\n`);

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function stop(code: number): never {
  (code === 0 ? process.stdout : process.stderr).write(usage);
  process.exit(code);
}
