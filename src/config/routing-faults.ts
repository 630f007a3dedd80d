import { nearest } from '../catalogue/nearest-name.ts';
import type { SluiceConfig } from './config-schema.ts';

type Named = Pick<SluiceConfig, 'providers' | 'aliases' | 'routes'>;

/**
 * Semantic errors of routing.
 * @param known IDs and aliases of built-in providers. Not checked if undefined
 */
export function routingFaults(config: Named, known: ReadonlySet<string> | undefined): string[] {
  return [
    ...providersWithoutUrl(config, known),
    ...aliasCycles(config),
    ...aliasesOfAliases(config),
    ...routesToRoutes(config, known),
  ];
}

/** Providers without a known base URL. */
function providersWithoutUrl({ providers }: Named, known: ReadonlySet<string> | undefined): string[] {
  if (known === undefined) return [];
  return Object.entries(providers)
    .filter(([id, provider]) => !known.has(id) && provider?.base_url === undefined)
    .map(([id]) => {
      const like = nearest(id, known);
      return `providers.${id}: base_url is required, because no built-in provider has this name${like === undefined ? '' : `; did you mean ${like}?`}`;
    });
}

/** The target of an alias, if it is another alias. */
function nextAlias({ aliases, routes }: Named, name: string): string | undefined {
  const target = aliases[name];
  return target !== undefined && Object.hasOwn(aliases, target) && !Object.hasOwn(routes, target) ? target : undefined;
}

function cycleFrom(config: Named, start: string): string[] | null {
  const visited = [start];
  for (let at = nextAlias(config, start); at !== undefined; at = nextAlias(config, at)) {
    if (at === start) return visited;
    if (visited.includes(at)) return null;
    visited.push(at);
  }
  return null;
}

function aliasCycles(config: Named): string[] {
  const reported = new Set<string>();
  return Object.keys(config.aliases).flatMap((name) => {
    const cycle = reported.has(name) ? null : cycleFrom(config, name);
    if (cycle === null) return [];
    for (const each of cycle) reported.add(each);
    return [`aliases form a cycle: ${cycle.join(', ')}`];
  });
}

function aliasesOfAliases(config: Named): string[] {
  return Object.keys(config.aliases)
    .filter((name) => nextAlias(config, name) !== undefined && cycleFrom(config, name) === null)
    .map((name) => `aliases.${name}: must be provider/model or a route, not the alias ${nextAlias(config, name)}`);
}

/** A route may have the name of a model, with or without its prefix, and that model as a target. */
function routesToRoutes({ providers, aliases, routes }: Named, known: ReadonlySet<string> | undefined): string[] {
  const isModel = (name: string): boolean => {
    const provider = name.slice(0, Math.max(0, name.indexOf('/')));
    if (provider === '') return false;
    return known === undefined || known.has(provider) || provider === 'sandbox' || Object.hasOwn(providers, provider);
  };
  return Object.entries(routes).flatMap(([name, { targets, larger }]) => {
    const models = targets.map((target) => (typeof target === 'string' ? target : target.model));
    return [...models, ...(larger === undefined ? [] : [larger])]
      .filter((model) => model !== name && !isModel(model))
      .flatMap((model) => {
        const kind = Object.hasOwn(routes, model) ? 'a route' : Object.hasOwn(aliases, model) ? 'an alias' : null;
        return kind === null
          ? []
          : [`routes.${name}: a target must be a model (provider/model), not ${kind}: ${model}`];
      });
  });
}
