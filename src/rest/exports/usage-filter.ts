import type { Request } from 'express';
import { SluiceError } from '../../errors/index.ts';
import { eventIdOf } from '../../gateway/event-id.ts';
import { usageStatuses, type UsageStatus } from '../../gateway/usage/usage-record.ts';
import type { UsageLogFilter } from '../../services/usage/usage-conditions.ts';

/** Matches no request. */
const NO_ID = '';

/** The same filters as `usageLogs` in GraphQL. @throws SluiceError invalid_value */
export function usageFilterOf(request: Request): Omit<UsageLogFilter, 'from' | 'to'> {
  const requestId = text(request, 'request_id');
  return {
    apiKeyId: keyId(text(request, 'api_key_id')),
    model: text(request, 'model'),
    modelContains: text(request, 'model_contains'),
    provider: text(request, 'provider'),
    status: status(text(request, 'status')),
    endUser: text(request, 'end_user'),
    tag: tag(text(request, 'tag')),
    sessionId: text(request, 'session_id'),
    traceId: text(request, 'trace_id'),
    eventId: requestId === undefined ? undefined : (eventIdOf(requestId) ?? NO_ID),
  };
}

function text({ query }: Request, name: string): string | undefined {
  const given: unknown = query[name];
  if (given === undefined || given === '') return undefined;
  if (typeof given !== 'string')
    throw new SluiceError('invalid_value', { param: name, values: { reason: 'expected one value' } });
  return given;
}

/** A UUID, or a GraphQL ID: `ApiKey:` and the UUID in base64url. */
function keyId(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const decoded = Buffer.from(given.slice(0, 200), 'base64url').toString();
  return decoded.startsWith('ApiKey:') ? decoded.slice('ApiKey:'.length) : given;
}

function status(given: string | undefined): UsageStatus | undefined {
  const found = usageStatuses.find((each) => each === given?.toLowerCase());
  if (given === undefined || found !== undefined) return found;
  const reason = `expected one of ${usageStatuses.join(', ')}`;
  throw new SluiceError('invalid_value', { param: 'status', values: { reason } });
}

/** `name=value`, or only the name. */
function tag(given: string | undefined): UsageLogFilter['tag'] {
  if (given === undefined) return undefined;
  const at = given.indexOf('=');
  return at < 0 ? { name: given } : { name: given.slice(0, at), value: given.slice(at + 1) };
}
