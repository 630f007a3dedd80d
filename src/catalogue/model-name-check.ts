import { plainModelName } from './model-spelling.ts';
import { nearest } from './nearest-name.ts';

/** A provider that a model name may start with. */
export interface KnownProvider {
  readonly id: string;
  /** Prefixes that its API accepts before model names: `models/`. */
  readonly modelPrefixes: readonly string[];
  /** Whether it is connected. */
  readonly isConnected: boolean;
  /** Whether only the listed models exist. */
  readonly hasOnlyListedModels: boolean;
}

/** The names available to the requests of an account. */
export interface KnownModels {
  isRouteOrAlias(name: string): boolean;
  /** How a name without a provider is known: a connected provider serves the model, or the catalogue lists it. */
  bareName(name: string): 'served' | 'catalogued' | undefined;
  /** @param prefix of a name, before its first slash */
  provider(prefix: string): KnownProvider | undefined;
  /** The canonical id of a model, from its provider's name in any case; undefined if no list contains it. */
  modelId(provider: string, name: string): string | undefined;
  routesAndAliases(): Iterable<string>;
  /** Canonical ids; those of connected providers come first. */
  modelIds(): Iterable<string>;
}

export type ModelNameCheck =
  /** `name` is the spelling to store: lists and limits of keys compare it with canonical ids. */
  | { readonly kind: 'known'; readonly name: string }
  /** No list contains this model, but the provider may have it: it may be new or fine-tuned. */
  | { readonly kind: 'unlisted'; readonly name: string; readonly provider: string }
  /** A route or an alias, where only a model is allowed. */
  | { readonly kind: 'not_a_model' }
  | { readonly kind: 'unknown' };

/**
 * Checks a model name. Spellings that requests accept are valid.
 * @param acceptsRoutes whether the name of a route or an alias is allowed
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
  // Before models that nothing serves: a target never leads to another route.
  if (isRoute) return { kind: 'not_a_model' };
  if (bare !== undefined) return { kind: 'known', name };
  if (provider === undefined || plain === '' || provider.hasOnlyListedModels) return { kind: 'unknown' };
  return { kind: 'unlisted', name: `${provider.id}/${plain}`, provider: provider.id };
}

/**
 * A suggestion for an unlisted or unknown name; undefined if no name is similar. It compares the name with all others,
 * which takes milliseconds: do not call it for each name of a list.
 */
export function suggestModelName(name: string, known: KnownModels, acceptsRoutes: boolean): string | undefined {
  const slash = name.indexOf('/');
  if (slash > 0 && slash === name.length - 1) return undefined;
  const ids = [...known.modelIds()];
  const routes = acceptsRoutes ? [...known.routesAndAliases()] : [];
  const hasProvider = slash > 0 && known.provider(name.slice(0, slash)) !== undefined;
  const bareNames = hasProvider ? [] : ids.map(bareNameOf);
  return nearest(name, new Set([...routes, ...ids, ...bareNames])) ?? withOtherProvider(name, ids);
}

/** `openai/gpt-5.5` for `anthropic/gpt-5.5`. */
function withOtherProvider(name: string, ids: readonly string[]): string | undefined {
  const slash = name.indexOf('/');
  const own = name.slice(slash).toLowerCase();
  return slash > 0 && own.length > 1 ? ids.find((id) => id.toLowerCase().endsWith(own)) : undefined;
}

function bareNameOf(id: string): string {
  return id.slice(id.indexOf('/') + 1);
}
