import { plainModelName } from './model-spelling.ts';
import { nearest } from './nearest-name.ts';

/** A provider that a model's name may begin with. */
export interface KnownProvider {
  readonly id: string;
  /** What its API puts before names of models: `models/`. */
  readonly modelPrefixes: readonly string[];
  /** Whether requests can reach it now. */
  readonly isConnected: boolean;
  /** Whether its lists are complete: no other model of it exists. */
  readonly hasOnlyListedModels: boolean;
}

/** What requests of an account can name. */
export interface KnownModels {
  isRouteOrAlias(name: string): boolean;
  /** How a name without a provider is known: a connected provider has a model of this name, or the catalogue has. */
  bareName(name: string): 'served' | 'catalogued' | undefined;
  /** @param prefix of a name, before its first slash */
  provider(prefix: string): KnownProvider | undefined;
  /** The canonical id of a model, from its provider's own name in any case; undefined where no list has it. */
  modelId(provider: string, name: string): string | undefined;
  routesAndAliases(): Iterable<string>;
  /** Canonical ids; those that requests can reach now come first. */
  modelIds(): Iterable<string>;
}

export type ModelNameCheck =
  /** `name` is the spelling to store: lists and limits of keys compare it with canonical ids. */
  | { readonly kind: 'known'; readonly name: string }
  /** The provider may have this model, though no list does: it may be new or fine-tuned. */
  | { readonly kind: 'unlisted'; readonly name: string; readonly provider: string }
  /** A route or an alias, where only a model can be used. */
  | { readonly kind: 'not_a_model' }
  | { readonly kind: 'unknown' };

/**
 * Whether requests can use a model by a name. A spelling that requests accept is accepted.
 * @param acceptsRoutes whether the name of a route or an alias can stand there
 */
export function checkModelName(name: string, known: KnownModels, acceptsRoutes: boolean): ModelNameCheck {
  const isRoute = known.isRouteOrAlias(name);
  if (isRoute && acceptsRoutes) return { kind: 'known', name };
  const slash = name.indexOf('/');
  const provider = slash > 0 ? known.provider(name.slice(0, slash)) : undefined;
  const bare = known.bareName(name);
  if (bare === 'served' && provider?.isConnected !== true) return { kind: 'known', name };
  const own = name.slice(slash + 1);
  const plain = provider === undefined ? '' : plainModelName(own, provider.modelPrefixes);
  const id = provider && (known.modelId(provider.id, own) ?? known.modelId(provider.id, plain));
  if (id !== undefined) return { kind: 'known', name: id };
  if (bare !== undefined) return { kind: 'known', name };
  if (isRoute) return { kind: 'not_a_model' };
  if (provider === undefined || plain === '' || provider.hasOnlyListedModels) return { kind: 'unknown' };
  return { kind: 'unlisted', name: `${provider.id}/${plain}`, provider: provider.id };
}

/**
 * What may have been meant by a name that is unlisted or unknown; undefined where nothing is like it. It compares the name with
 * all others, which takes milliseconds: not for each of a list.
 */
export function suggestModelName(name: string, known: KnownModels, acceptsRoutes: boolean): string | undefined {
  const slash = name.indexOf('/');
  if (slash > 0 && slash === name.length - 1) return undefined;
  const ids = [...known.modelIds()];
  const routes = acceptsRoutes ? [...known.routesAndAliases()] : [];
  const hasProvider = slash > 0 && known.provider(name.slice(0, slash)) !== undefined;
  const bareNames = hasProvider ? [] : ids.map(bareNameOf);
  return nearest(name, new Set([...routes, ...ids, ...bareNames])) ?? ofAnotherProvider(name, ids);
}

/** `openai/gpt-5.5` for `anthropic/gpt-5.5`. */
function ofAnotherProvider(name: string, ids: readonly string[]): string | undefined {
  const slash = name.indexOf('/');
  const own = name.slice(slash).toLowerCase();
  return slash > 0 && own.length > 1 ? ids.find((id) => id.toLowerCase().endsWith(own)) : undefined;
}

function bareNameOf(id: string): string {
  return id.slice(id.indexOf('/') + 1);
}
