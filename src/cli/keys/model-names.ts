import { join } from 'node:path';
import { Catalogue, UPDATED_CATALOGUE } from '../../catalogue/catalogue.ts';
import type { KnownModels } from '../../catalogue/model-name-check.ts';
import { loadFile } from '../../config/configuration.ts';
import type { Database } from '../../database/database.ts';
import { AccountRoute, ProviderConnection } from '../../database/entities/index.ts';
import { knownModels, nothingServed } from '../../gateway/routing/models/known-models.ts';
import { ModelNames } from '../../services/model-names.ts';

/** Checks model names against the catalogue and the configuration, without requests to providers. */
export function modelNamesIn(database: Database, dataDir: string): ModelNames {
  let reading: Promise<KnownModels> | undefined;
  return new ModelNames((accountId) => (reading ??= readKnown(database, dataDir, accountId)));
}

async function readKnown(database: Database, dataDir: string, accountId: string): Promise<KnownModels> {
  const { models, routes, aliases, providers } = await loadFile();
  const where = { account: accountId };
  const ownRoutes = await database.em().find(AccountRoute, where);
  const connections = await database.em().find(ProviderConnection, where);
  return knownModels(
    nothingServed,
    new Catalogue({ updated: join(dataDir, UPDATED_CATALOGUE), overrides: models }),
    new Set([...ownRoutes.map(({ name }) => name), ...Object.keys(routes), ...Object.keys(aliases)]),
    new Set([...Object.keys(providers), ...connections.map(({ provider }) => provider)]),
  );
}
