import { publishedDataPolicies } from './published-data-policies.ts';

/** What the owner of a connection states, for example by a contract with the provider. */
export interface DataPolicySettings {
  readonly trainsOnData?: boolean | undefined;
  /** Days; 0 for zero retention. */
  readonly retentionDays?: number | undefined;
}

/** A page of the provider that states its policy. */
interface PolicySource {
  readonly url: string;
  /** The day on which it was read. */
  readonly readOn: string;
}

export interface DataPolicy {
  /** Whether the provider trains models with the data of API requests; null if unknown. */
  readonly trainsOnData: boolean | null;
  /** Maximum days for which the provider retains requests and responses, 0 for zero retention; null if unknown. */
  readonly retentionDays: number | null;
  /** Whether the owner of the connection states at least one of the two. */
  readonly isSetByConnection: boolean;
  /** Null if no page states what the connection does not. */
  readonly source: PolicySource | null;
}

export const UNKNOWN_DATA_POLICY: DataPolicy = {
  trainsOnData: null,
  retentionDays: null,
  isSetByConnection: false,
  source: null,
};

/** @param baseUrl as configured; undefined for the provider's own */
export function dataPolicyOf(
  provider: string,
  baseUrl: string | undefined,
  settings: DataPolicySettings = {},
): DataPolicy {
  const published = publishedDataPolicies[provider];
  // Another server at a configured address has a policy of its own.
  const known = published && isServedBy(published.domain, baseUrl) ? published : undefined;
  const trainsOnData = settings.trainsOnData ?? known?.trainsOnData ?? null;
  const retentionDays = settings.retentionDays ?? known?.retentionDays ?? null;
  const isPublished =
    (settings.trainsOnData === undefined && known?.trainsOnData !== undefined) ||
    (settings.retentionDays === undefined && known?.retentionDays !== undefined);
  return {
    trainsOnData,
    retentionDays,
    isSetByConnection: settings.trainsOnData !== undefined || settings.retentionDays !== undefined,
    source: known && isPublished ? { url: known.url, readOn: known.readOn } : null,
  };
}

/** The policy that holds whichever of several connections serves a request. */
export function combinedDataPolicy(policies: readonly DataPolicy[]): DataPolicy {
  const [first = UNKNOWN_DATA_POLICY, ...others] = policies;
  return others.reduce(combined, first);
}

function combined(a: DataPolicy, b: DataPolicy): DataPolicy {
  const trains = [a.trainsOnData, b.trainsOnData];
  const isRetentionKnown = a.retentionDays !== null && b.retentionDays !== null;
  const trainsOnData = trains.includes(true) ? true : trains.includes(null) ? null : false;
  const retentionDays = isRetentionKnown ? Math.max(a.retentionDays, b.retentionDays) : null;
  if (trainsOnData === null && retentionDays === null) return UNKNOWN_DATA_POLICY;
  return {
    trainsOnData,
    retentionDays,
    isSetByConnection: a.isSetByConnection || b.isSetByConnection,
    source: a.source?.url === b.source?.url ? a.source : null,
  };
}

function isServedBy(domain: string, baseUrl: string | undefined): boolean {
  if (baseUrl === undefined) return true;
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';
  return host === domain || host.endsWith(`.${domain}`);
}
