import { SluiceError } from '../../errors/index.ts';
import { eventIdOf } from '../../gateway/event-id.ts';
import { isSearchable, MAX_SEARCH_LENGTH } from '../../services/content-search/text-conditions.ts';
import type { UsageLogFilter as RowFilter } from '../../services/usage/usage-conditions.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import type { UsageReportFilter } from '../../services/usage/report/usage-figures.ts';
import type { UsageLogFilter } from './usage-log.types.ts';
import type { UsageFilter } from './usage-report.types.ts';

/** Matches no request. */
const NO_EVENT = '';

/** The common filter of the log and its totals. @throws SluiceError not_found for an id of another type, bad_user_input */
export function toRowFilter(filter: Omit<UsageLogFilter, 'from' | 'to'> | null | undefined): RowFilter {
  const { apiKeyId, model, modelContains, provider, status, requestId, endUser, tag, sessionId, traceId } =
    filter ?? {};
  const { feedback, text, capability, memberId, isError, errorCode } = filter ?? {};
  return {
    apiKeyId: apiKeyId ? fromGlobalId('ApiKey', apiKeyId) : undefined,
    model: model ?? undefined,
    modelContains: modelContains || undefined,
    provider: provider ?? undefined,
    capability: capability ?? undefined,
    memberId: memberId ? fromGlobalId('User', memberId) : undefined,
    status: status ?? undefined,
    isError: isError ?? undefined,
    errorCode: errorCode ?? undefined,
    eventId: requestId ? (eventIdOf(requestId) ?? NO_EVENT) : undefined,
    endUser: endUser ?? undefined,
    tag: tag ?? undefined,
    sessionId: sessionId ?? undefined,
    traceId: traceId ?? undefined,
    feedback: feedback ?? undefined,
    text: text ? searchedText(text) : undefined,
  };
}

/** The filter of totals. @throws as `toRowFilter` */
export function toReportFilter(filter: UsageFilter | null | undefined): UsageReportFilter {
  return { ...toRowFilter(filter), tagName: filter?.tagName ?? undefined };
}

function searchedText(text: string): string {
  if (!isSearchable(text))
    throw new SluiceError('bad_user_input', {
      param: 'filter.text',
      values: { reason: `filter.text: it must be text of at most ${MAX_SEARCH_LENGTH} characters` },
    });
  return text;
}
