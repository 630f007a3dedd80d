import { providerAliases, providers } from '../../providers/registry.ts';

/** What helps where nothing better is known. */
export const LIST_MODELS_HINT = 'GET /v1/models lists what there is.';
/** More of a configuration than this is not told in an error. */
const MAX_NAMED = 5;

/** What is known around a name that leads nowhere. */
export interface MissingModelContext {
  /** Ids of the providers that the caller's requests can go to. */
  readonly connected: ReadonlySet<string>;
  /** Canonical names of models that are called so without their prefix. */
  readonly namesakes: readonly string[];
  /** What a route or an alias of this name leads to; null where there is none. */
  readonly targets: readonly string[] | null;
}

/** Says what to do about a model that is not found, in a sentence or two for whoever asked. */
export function missingModelHint(name: string, { connected, namesakes, targets }: MissingModelContext): string {
  if (targets !== null) {
    const ids = new Set(targets.flatMap((target) => providerOf(target) ?? []).filter((id) => !connected.has(id)));
    const advice = [...ids].slice(0, MAX_NAMED).map((id) => adviceFor(id) ?? `connect ${id}`);
    const what = `It leads to ${targets.slice(0, MAX_NAMED).join(', ')}, which nothing serves here.`;
    return advice.length === 0 ? `${what} ${LIST_MODELS_HINT}` : `${what} ${sentence(advice.join('; or '))}`;
  }
  if (namesakes.length > 1) return `Several providers have it: write ${namesakes.slice(0, MAX_NAMED).join(' or ')}.`;
  const provider = providerOf(name);
  if (provider === null || connected.has(provider)) return LIST_MODELS_HINT;
  const advice = adviceFor(provider);
  return advice === null
    ? LIST_MODELS_HINT
    : `The provider ${provider} is not connected here, or its connection is inactive. ${sentence(advice)}`;
}

/** Its id; null for a bare name. */
function providerOf(name: string): string | null {
  const prefix = name.slice(0, Math.max(0, name.indexOf('/')));
  return prefix === '' ? null : (providerAliases.get(prefix) ?? prefix);
}

/** How a provider is connected; null for one that is not known by name. */
function adviceFor(id: string): string | null {
  if (id === 'sandbox') return 'set SLUICE_SANDBOX=on';
  const declared = providers.find((provider) => provider.id === id);
  if (declared === undefined) return null;
  const variable = id.toUpperCase().replaceAll('-', '_');
  // One whose place is not known needs more than a variable.
  if (declared.baseUrl === null) return `name ${id} in sluice.yaml, or connect ${id} to your account`;
  return `set ${variable}_${declared.needsKey ? 'API_KEY' : 'BASE_URL'}, or connect ${id} to your account`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
