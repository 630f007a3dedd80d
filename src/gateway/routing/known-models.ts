import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { KnownModels } from '../../catalogue/model-name-check.ts';
import { knownProviders, modelPrefixes, providerAliases } from '../../providers/registry.ts';
import { bareName } from '../model-directory.ts';
import type { ConnectionSet } from './connection-set.ts';

/** Its models are known whether or not it is switched on. */
const SANDBOX = 'sandbox';

/** What requests can reach. */
export type Served = Pick<ConnectionSet, 'connection' | 'hasBareName' | 'listedId' | 'list'>;

/** For who opens no connections: what is known is in the catalogue and in the configuration. */
export const nothingServed: Served = {
  connection: () => undefined,
  hasBareName: () => false,
  listedId: () => undefined,
  list: () => [],
};

const providerIds = new Set([...knownProviders, SANDBOX]);
/** By the array that they were made of, which is another when the catalogue changes. */
const bareNames = new WeakMap<readonly string[], ReadonlySet<string>>();

/**
 * What can be named of the models that are served, of those that the catalogue has, and of routes and aliases.
 * @param others ids of providers that are configured without being served here
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
        hasOnlyListedModels: connection?.hasListedAlone ?? id === SANDBOX,
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
