import { isRangeName, type RangeName } from '../../data/range.ts';
import { nonEmptyText, oneOf, type UntrustedSearch } from '../../data/search.ts';
import type { RequestStatus, UsageLogFilter } from '../../generated/graphql.ts';
import { statuses } from '../usage-logs/search.ts';

export interface SessionsSearch {
  readonly range?: RangeName;
  /** Part of the name. */
  readonly modelContains?: string;
  readonly status?: RequestStatus;
  readonly key?: string;
  readonly endUser?: string;
}

export function sessionsSearch(input: UntrustedSearch): SessionsSearch {
  return {
    range: isRangeName(input.range) ? input.range : undefined,
    modelContains: nonEmptyText(input.modelContains),
    status: oneOf(statuses, input.status),
    key: nonEmptyText(input.key),
    endUser: nonEmptyText(input.endUser),
  };
}

/** Which requests select a session, without the time range. */
export function sessionFilterOf({ modelContains, status, key, endUser }: SessionsSearch): Omit<UsageLogFilter, 'from'> {
  return { modelContains, status, apiKeyId: key, endUser };
}

export interface SessionSearch {
  /** The session ID that the client chose. */
  readonly id: string;
  /** The request whose details are open. */
  readonly log?: string;
}

export function sessionSearch(input: UntrustedSearch): SessionSearch {
  return { id: nonEmptyText(input.id) ?? '', log: nonEmptyText(input.log) };
}
