import { eventIdOf } from '../../gateway/event-id.ts';
import type { UsageLogFilter as RowFilter } from '../../services/usage/usage-conditions.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import type { UsageLogFilter } from './usage-log.types.ts';

/** No request has it. */
const NO_EVENT = '';

/** What the log and its sums are narrowed by alike. @throws SluiceError not_found for an id that is no key's */
export function toRowFilter(filter: Omit<UsageLogFilter, 'from' | 'to'> | null | undefined): RowFilter {
  const { apiKeyId, model, modelContains, provider, status, requestId, endUser, tag } = filter ?? {};
  return {
    apiKeyId: apiKeyId ? fromGlobalId('ApiKey', apiKeyId) : undefined,
    model: model ?? undefined,
    modelContains: modelContains || undefined,
    provider: provider ?? undefined,
    status: status ?? undefined,
    eventId: requestId ? (eventIdOf(requestId) ?? NO_EVENT) : undefined,
    endUser: endUser ?? undefined,
    tag: tag ?? undefined,
  };
}
