import { builtInProviders, providerAliases, providers } from '../../../providers/registry.ts';

/** The hint where nothing more specific is known. */
export const LIST_MODELS_HINT = 'GET /v1/models lists the available models.';
/** Maximum configured names in an error. */
const MAX_LISTED = 5;

/** A question that names what may have been meant; empty for nothing. */
export function didYouMean(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  const last = quoted.pop();
  if (last === undefined) return '';
  return `Did you mean ${quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`}?`;
}

/** What is known about a name that was not found. */
export interface MissingModelContext {
  /** Ids of the providers available to the client. */
  readonly connected: ReadonlySet<string>;
  /** Canonical names of models with this bare name. */
  readonly namesakes: readonly string[];
  /** Targets of a route or alias of this name; null where there is none. */
  readonly targets: readonly string[] | null;
}

/** The hint for a model that was not found. */
export function missingModelHint(name: string, { connected, namesakes, targets }: MissingModelContext): string {
  if (targets !== null) {
    const ids = new Set(targets.flatMap((target) => providerOf(target) ?? []).filter((id) => !connected.has(id)));
    const advice = [...ids].slice(0, MAX_LISTED).map((id) => adviceFor(id) ?? `connect ${id}`);
    const what = `Its targets are not available here: ${targets.slice(0, MAX_LISTED).join(', ')}.`;
    return advice.length === 0 ? `${what} ${LIST_MODELS_HINT}` : `${what} ${sentence(advice.join('; or '))}`;
  }
  if (namesakes.length > 1)
    return `Several providers have this model. Specify ${namesakes.slice(0, MAX_LISTED).join(' or ')}.`;
  const provider = providerOf(name);
  if (provider === null || connected.has(provider)) return LIST_MODELS_HINT;
  const advice = adviceFor(provider);
  return advice === null
    ? LIST_MODELS_HINT
    : `The provider ${provider} is not connected here, or its connection is inactive. ${sentence(advice)}`;
}

/** The provider's id; null for a bare name. */
function providerOf(name: string): string | null {
  const prefix = name.slice(0, Math.max(0, name.indexOf('/')));
  return prefix === '' ? null : (providerAliases.get(prefix) ?? prefix);
}

/** How to connect a provider; null for an unknown one. */
function adviceFor(id: string): string | null {
  const builtIn = builtInProviders.get(id);
  if (builtIn !== undefined) return builtIn.setupHint;
  const declared = providers.find((provider) => provider.id === id);
  if (declared === undefined) return null;
  const variable = id.toUpperCase().replaceAll('-', '_');
  // A provider without a fixed base URL needs more than one variable.
  if (declared.baseUrl === null) return `name ${id} in sluice.yaml, or connect ${id} to your account`;
  return `set ${variable}_${declared.needsKey ? 'API_KEY' : 'BASE_URL'}, or connect ${id} to your account`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
