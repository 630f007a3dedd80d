import { Catalogue } from '../catalogue/catalogue.ts';
import { nearest } from '../catalogue/nearest-name.ts';
import type { SluiceConfig } from './config-schema.ts';

type Naming = Pick<SluiceConfig, 'providers' | 'aliases' | 'routes' | 'routing' | 'plans' | 'models'>;

/** A model name in `sluice.yaml`. */
export interface ConfiguredModelName {
  readonly path: readonly (string | number)[];
  readonly name: string;
  /** Whether it may also be the name of a route or an alias. */
  readonly acceptsRoutes: boolean;
}

export function configuredModelNames(config: Omit<Naming, 'providers' | 'models'>): ConfiguredModelName[] {
  const { aliases, routes, routing, plans } = config;
  const model = (path: readonly (string | number)[], name: string) => ({ path, name, acceptsRoutes: false });
  const nameOrRoute = (path: readonly (string | number)[], name: string) => ({ path, name, acceptsRoutes: true });
  const moderation = (path: readonly string[], given: SluiceConfig['routing']['moderation']) =>
    given === undefined || given === 'none' ? [] : [nameOrRoute([...path, 'moderation', 'model'], given.model)];
  return [
    ...Object.entries(aliases).map(([alias, target]) => nameOrRoute(['aliases', alias], target)),
    ...Object.entries(routes).flatMap(([route, rules]) => [
      ...rules.targets.map((target, at) =>
        typeof target === 'string'
          ? model(['routes', route, 'targets', at], target)
          : model(['routes', route, 'targets', at, 'model'], target.model),
      ),
      ...(rules.larger === undefined ? [] : [model(['routes', route, 'larger'], rules.larger)]),
      ...moderation(['routes', route], rules.moderation),
    ]),
    ...moderation(['routing'], routing.moderation),
    ...Object.entries(plans).flatMap(([plan, { models }]) =>
      (models ?? []).map((name, at) => model(['plans', plan, 'models', at], name)),
    ),
  ];
}

/**
 * Model names with a misspelled provider: a provider with a similar name has the model. Other unknown names may be models that
 * only their providers list.
 * @param known IDs and aliases of built-in providers
 * @param lineOf 1-based line of a path
 */
export function modelNameFaults(
  config: Naming,
  known: ReadonlySet<string>,
  lineOf: (path: ConfiguredModelName['path']) => number | undefined,
): string[] {
  const providers = new Set([...known, ...Object.keys(config.providers), 'sandbox']);
  const isNamed = (name: string): boolean => Object.hasOwn(config.routes, name) || Object.hasOwn(config.aliases, name);
  const doubtful = configuredModelNames(config).filter(
    ({ name }) => name.indexOf('/') > 0 && !providers.has(prefixOf(name)) && !isNamed(name),
  );
  if (doubtful.length === 0) return [];
  const ids = new Set(new Catalogue({ overrides: config.models }).ids());
  return doubtful.flatMap(({ path, name }) => {
    const provider = nearest(prefixOf(name), providers);
    const meant = provider === undefined ? '' : provider + name.slice(name.indexOf('/'));
    if (!ids.has(meant)) return [];
    const line = lineOf(path);
    const place = `${path.join('.')}${line === undefined ? '' : ` (line ${line})`}`;
    return [`${place}: no provider is named ${prefixOf(name)}; did you mean ${meant}?`];
  });
}

function prefixOf(name: string): string {
  return name.slice(0, name.indexOf('/'));
}
