import { nearest } from '../catalogue/nearest-name.ts';
import type { SluiceConfig } from './config-file.ts';

type Named = Pick<SluiceConfig, 'providers' | 'aliases' | 'routes'>;

/**
 * What is well-formed and can never work, a line each.
 * @param known ids and other names of providers that are known by name; undefined where that is not to be looked at
 */
export function routingFaults(config: Named, known: ReadonlySet<string> | undefined): string[] {
  return [
    ...placeless(config, known),
    ...circles(config),
    ...aliasesOfAliases(config),
    ...routesToRoutes(config, known),
  ];
}

/** Providers that nobody knows the way to. */
function placeless({ providers }: Named, known: ReadonlySet<string> | undefined): string[] {
  if (known === undefined) return [];
  return Object.entries(providers)
    .filter(([id, provider]) => !known.has(id) && provider?.base_url === undefined)
    .map(([id]) => {
      const like = nearest(id, known);
      return `providers.${id}: needs base_url, since no provider is known by this name${like === undefined ? '' : `; did you mean ${like}?`}`;
    });
}

/** What an alias leads to, where that is another alias. */
function nextAlias({ aliases, routes }: Named, name: string): string | undefined {
  const target = aliases[name];
  return target !== undefined && Object.hasOwn(aliases, target) && !Object.hasOwn(routes, target) ? target : undefined;
}

function circleOf(config: Named, start: string): string[] | null {
  const met = [start];
  for (let at = nextAlias(config, start); at !== undefined; at = nextAlias(config, at)) {
    if (at === start) return met;
    if (met.includes(at)) return null;
    met.push(at);
  }
  return null;
}

function circles(config: Named): string[] {
  const told = new Set<string>();
  return Object.keys(config.aliases).flatMap((name) => {
    const circle = told.has(name) ? null : circleOf(config, name);
    if (circle === null) return [];
    for (const each of circle) told.add(each);
    return [`aliases go round in a circle: ${circle.join(', ')}`];
  });
}

function aliasesOfAliases(config: Named): string[] {
  return Object.keys(config.aliases)
    .filter((name) => nextAlias(config, name) !== undefined && circleOf(config, name) === null)
    .map((name) => `aliases.${name}: must be provider/model or a route, not the alias ${nextAlias(config, name)}`);
}

/** A route may bear a model's own name, with or without its prefix, and have that very model as a target. */
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
