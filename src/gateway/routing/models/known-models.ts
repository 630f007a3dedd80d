import type { Catalogue } from '../../../catalogue/catalogue.ts';
import type { KnownModels } from '../../../catalogue/model-name-check.ts';
import { builtInProviders, knownProviders, modelPrefixes, providerAliases } from '../../../providers/registry.ts';
import { bareName } from '../../keys/model-directory.ts';
import type { ConnectionSet } from '../connection-set.ts';

/** What requests can reach. */
export type Served = Pick<ConnectionSet, 'connection' | 'hasBareName' | 'listedId' | 'list'>;

/** Used without connections: only the catalogue and the configuration are known. */
export const nothingServed: Served = {
  connection: () => undefined,
  hasBareName: () => false,
  listedId: () => undefined,
  list: () => [],
};

const providerIds = new Set([...knownProviders, ...builtInProviders.keys()]);
/** By the id array of the catalogue, which is replaced when the catalogue changes. */
const bareNames = new WeakMap<readonly string[], ReadonlySet<string>>();

/**
 * The names of the served models, the catalogue's models, and routes and aliases.
 * @param others ids of configured providers that are not served here
 */
export function knownModels(
  served: Served,
  catalogue: Catalogue,
  routesAndAliases: ReadonlySet<string>,
  others: ReadonlySet<string> = new Set(),
): KnownModels {
  return {
    isRouteOrAlias: (name) => routesAndAliases.has(name),
    bareName: (name) => {
      if (served.hasBareName(name)) return 'served';
      return bareNamesOf(catalogue.ids()).has(name) ? 'catalogued' : undefined;
    },
    provider: (prefix) => {
      const id = providerAliases.get(prefix) ?? prefix;
      const connection = served.connection(id);
      if (connection === undefined && !providerIds.has(id) && !others.has(id)) return undefined;
      return {
        id,
        modelPrefixes: modelPrefixes.get(id) ?? [],
        isConnected: connection !== undefined,
        hasOnlyListedModels: connection?.servesOnlyListedModels ?? builtInProviders.has(id),
      };
    },
    modelId: (provider, name) => served.listedId(provider, name) ?? catalogue.listed(provider, name)?.id,
    routesAndAliases: () => routesAndAliases,
    modelIds: () => [...served.list().map(({ id }) => id), ...catalogue.ids()],
  };
}

function bareNamesOf(ids: readonly string[]): ReadonlySet<string> {
  let names = bareNames.get(ids);
  if (names === undefined) {
    names = new Set(ids.map(bareName));
    bareNames.set(ids, names);
  }
  return names;
}
