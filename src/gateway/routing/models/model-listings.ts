import { combinedTerms } from '../../../providers/shared/terms/connection-terms.ts';
import type { ModelListing } from '../../keys/model-directory.ts';
import type { ConnectionSet } from '../connection-set.ts';
import type { ResolvedRoute } from '../resolved-route.ts';
import type { AccountRouteSettings, RoutingTable } from '../route-settings.ts';
import { longestPattern } from '../build-route.ts';
import { isPattern, matchingPattern } from '../name-patterns.ts';
import { missingModelHint } from './missing-model.ts';

/** What an account may request; the operator's names where there is no account. */
export interface AvailableNames {
  readonly set: ConnectionSet;
  readonly table: RoutingTable | null;
  /** The account's own routes. */
  readonly own: ReadonlyMap<string, AccountRouteSettings> | undefined;
  readonly resolve: (name: string) => ResolvedRoute | undefined;
}

/** The names of routes and aliases. */
export function namesOf({ own, table }: AvailableNames): ReadonlySet<string> {
  return new Set([...(own?.keys() ?? []), ...(table?.routes.keys() ?? []), ...(table?.aliases.keys() ?? [])]);
}

/** Patterns are no models. */
export function listModels(available: AvailableNames): readonly ModelListing[] {
  const listings = new Map(available.set.list().map((listing) => [listing.id, listing]));
  for (const name of namesOf(available)) {
    if (isPattern(name)) continue;
    const listing = findModel(name, available);
    if (listing) listings.set(name, listing);
  }
  return [...listings.values()];
}

/** A route or an alias is listed under its own name, with the data of its first listed target and the terms of all. */
export function findModel(id: string, { set, table, own, resolve }: AvailableNames): ModelListing | undefined {
  if (!own?.has(id) && !table?.routes.has(id) && !table?.aliases.has(id)) return set.find(id);
  const route = resolve(id);
  const targets = route?.listed ?? [];
  const [first] = targets;
  if (route === undefined || first === undefined) return undefined;
  const listed = targets.map(({ model }) => set.find(model)).find((listing) => listing !== undefined);
  const connections = [...targets, ...(route.larger ? [route.larger] : [])].map(({ connection }) => connection);
  return { ...(listed ?? set.describe(first)), ...combinedTerms(connections), id, name: id };
}

/** A hint for a name that does not resolve. */
export function hintForMissing(name: string, { set, table, own }: AvailableNames): string {
  const configured = configuredName(name, { table, own });
  const alias = table?.aliases.get(configured);
  const route = own?.get(configured) ?? table?.routes.get(alias ?? configured);
  const targets = route?.targets.map(({ model }) => model) ?? (alias === undefined ? null : [alias]);
  const connected = new Set([...set.connections].map(({ provider }) => provider));
  return missingModelHint(name, { connected, namesakes: set.namesakes(name), targets });
}

/** The route, alias or pattern that a name is served by; the name itself where there is none. */
function configuredName(name: string, { table, own }: Pick<AvailableNames, 'table' | 'own'>): string {
  if (own?.has(name) || table?.routes.has(name) || table?.aliases.has(name)) return name;
  const pattern = own && matchingPattern(own, name);
  if (pattern !== undefined || table === null) return pattern ?? name;
  return longestPattern(name, table) ?? name;
}

/** Configured names without a target, each with the model that no connection serves. */
export function unservedNames(
  table: RoutingTable,
  { set, resolve }: Pick<AvailableNames, 'set' | 'resolve'>,
): string[] {
  const routes = [...table.routes].flatMap(([name, { targets, larger }]) =>
    [...targets.map(({ model }) => model), ...(larger === null ? [] : [larger])]
      .filter((model) => set.target(model) === undefined)
      .map((model) => `route ${name}: ${model}`),
  );
  const aliases = [...table.aliases]
    .filter(([, target]) => !table.routes.has(target) && set.target(target) === undefined)
    .map(([name, target]) => `alias ${name}: ${target}`);
  const own = [...table.routes].filter(([, route]) => route.moderation !== table.defaults.moderation);
  const moderated = [['routing', table.defaults] as const, ...own];
  const moderators = moderated.flatMap(([name, { moderation }]) =>
    (moderation ?? [])
      .filter(({ model }) => resolve(model) === undefined)
      .map(({ model }) => `moderation of ${name}: ${model}`),
  );
  return [...routes, ...aliases, ...new Set(moderators)];
}
