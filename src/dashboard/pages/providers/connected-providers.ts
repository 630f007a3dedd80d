import type {
  ConnectionPartsFragment,
  ProviderPartsFragment,
  ProvidersQuery,
  ProviderStatePartsFragment,
  ProviderUsageQuery,
} from '../../generated/graphql.ts';

type Usage = ProviderUsageQuery['usage']['groups'][number]['usage'];

/** A provider that is available to requests through the account's own connection, which takes precedence, or the operator's. */
export interface ConnectedProvider {
  readonly id: string;
  readonly name: string;
  /** Null when only the operator has configured it. */
  readonly connection: ConnectionPartsFragment | null;
  /** Null when no request can reach it. */
  readonly state: ProviderStatePartsFragment | null;
  /** Its entry in the list of known providers; null for other servers. */
  readonly known: ProviderPartsFragment | null;
  /** Usage of the last day; null when the account has not used it. */
  readonly usage: Usage | null;
}

export function connectedProviders(data: ProvidersQuery, usage: ProviderUsageQuery | null): ConnectedProvider[] {
  const known = new Map(data.providers.map((each) => [each.id, each]));
  const states = new Map(data.providerStates.map((each) => [each.provider, each]));
  const used = new Map(usage?.usage.groups.map((each) => [each.provider, each.usage]));
  const connections = new Map(data.providerConnections.map((each) => [each.provider, each]));
  const ids = new Set([...connections.keys(), ...states.keys()]);
  return [...ids]
    .map((id) => ({
      id,
      name: connections.get(id)?.name ?? known.get(id)?.name ?? (id === SANDBOX ? 'Sandbox' : id),
      connection: connections.get(id) ?? null,
      state: states.get(id) ?? null,
      known: known.get(id) ?? null,
      usage: used.get(id) ?? null,
    }))
    .toSorted((a, b) => Number(b.connection !== null) - Number(a.connection !== null) || a.name.localeCompare(b.name));
}

export const SANDBOX = 'sandbox';

export type Health = 'healthy' | 'failing' | 'degraded' | 'limited' | 'unchecked' | 'inactive';

/** The worst state among its tests, circuit breakers and requests. */
export function healthOf({ connection, state, usage }: ConnectedProvider): Health {
  const targets = state?.targets ?? [];
  if (connection?.active === false && connection.lastTest?.succeeded !== false) return 'inactive';
  // A half-open breaker waits for a request: without any it says nothing of the provider's state now.
  const isUsed = usage !== null && usage.errors > 0;
  const open = targets.filter(({ breaker }) => breaker === 'OPEN' || (breaker === 'HALF_OPEN' && isUsed)).length;
  if (connection?.lastTest?.succeeded === false) return 'failing';
  if (open > 0) return open === targets.length ? 'failing' : 'degraded';
  if (targets.some(({ availableInMs }) => availableInMs > 0)) return 'limited';
  if (usage && usage.requests > 0 && usage.errors === usage.requests) return 'failing';
  return connection?.lastTest?.succeeded || usage !== null || targets.length > 0 ? 'healthy' : 'unchecked';
}
