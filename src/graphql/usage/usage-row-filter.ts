import { SluiceError } from '../../errors/index.ts';
import { eventIdOf } from '../../gateway/event-id.ts';
import { isSearchable, MAX_SEARCH_LENGTH } from '../../services/content-search/text-conditions.ts';
import type { UsageLogFilter as RowFilter } from '../../services/usage/usage-conditions.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import type { UsageLogFilter } from './usage-log.types.ts';

/** Matches no request. */
const NO_EVENT = '';

/** The common filter of the log and its totals. @throws SluiceError not_found for an id that is not a key's, bad_user_input */
export function toRowFilter(filter: Omit<UsageLogFilter, 'from' | 'to'> | null | undefined): RowFilter {
  const { apiKeyId, model, modelContains, provider, status, requestId, endUser, tag, sessionId, traceId } =
    filter ?? {};
  const { feedback, text } = filter ?? {};
  return {
    apiKeyId: apiKeyId ? fromGlobalId('ApiKey', apiKeyId) : undefined,
    model: model ?? undefined,
    modelContains: modelContains || undefined,
    provider: provider ?? undefined,
    status: status ?? undefined,
    eventId: requestId ? (eventIdOf(requestId) ?? NO_EVENT) : undefined,
    endUser: endUser ?? undefined,
    tag: tag ?? undefined,
    sessionId: sessionId ?? undefined,
    traceId: traceId ?? undefined,
    feedback: feedback ?? undefined,
    text: text ? searchedText(text) : undefined,
  };
}

function searchedText(text: string): string {
  if (!isSearchable(text))
    throw new SluiceError('bad_user_input', {
      param: 'filter.text',
      values: { reason: `filter.text: it must be text of at most ${MAX_SEARCH_LENGTH} characters` },
    });
  return text;
}
