import type { Request } from 'express';
import { SluiceError } from '../../errors/index.ts';
import { eventIdOf } from '../../gateway/event-id.ts';
import { usageStatuses, type UsageStatus } from '../../gateway/usage/usage-record.ts';
import { chosenColumns, exportColumnNames } from '../../services/usage/export/export-columns.ts';
import type { ExportRange } from '../../services/usage/export/usage-export.ts';
import { isSearchable, MAX_SEARCH_LENGTH } from '../../services/content-search/text-conditions.ts';
import type { FeedbackCondition, UsageLogFilter } from '../../services/usage/usage-conditions.ts';
import { usageOrders } from '../../services/usage/usage-order.ts';

/** Matches no request. */
const NO_ID = '';

/** The same filters as `usageLogs` in GraphQL. @throws SluiceError invalid_value */
export function usageFilterOf(request: Request): Omit<UsageLogFilter, 'from' | 'to'> {
  const requestId = text(request, 'request_id');
  return {
    apiKeyId: idOf('ApiKey', text(request, 'api_key_id')),
    model: text(request, 'model'),
    modelContains: text(request, 'model_contains'),
    provider: text(request, 'provider'),
    capability: text(request, 'capability'),
    memberId: idOf('User', text(request, 'member_id')),
    status: status(text(request, 'status')),
    isError: isTrue(request, 'errors'),
    errorCode: text(request, 'error_code'),
    endUser: text(request, 'end_user'),
    tag: tag(text(request, 'tag')),
    sessionId: text(request, 'session_id'),
    traceId: text(request, 'trace_id'),
    feedback: feedback(request),
    text: words(text(request, 'text')),
    eventId: requestId === undefined ? undefined : (eventIdOf(requestId) ?? NO_ID),
  };
}

/** `columns`, separated by commas, and `order`. @throws SluiceError invalid_value */
export function usageShapeOf(request: Request): Pick<ExportRange, 'columns' | 'order'> {
  const names = text(request, 'columns')?.split(',');
  const columns = names && chosenColumns(names);
  if (columns === null) throw invalid('columns', `expected some of ${exportColumnNames.join(', ')}`);
  const given = text(request, 'order');
  const order = usageOrders.find((each) => each === given);
  if (given !== undefined && order === undefined) throw invalid('order', `expected one of ${usageOrders.join(', ')}`);
  return { columns, order };
}

/** `feedback=any`, or conditions on its name and value. */
function feedback(request: Request): FeedbackCondition | undefined {
  const any = text(request, 'feedback');
  if (any !== undefined && any !== 'any') throw invalid('feedback', 'expected any');
  const name = text(request, 'feedback_name');
  const category = text(request, 'feedback_category');
  const below = score(request, 'feedback_below');
  const above = score(request, 'feedback_above');
  const equals = score(request, 'feedback_equals');
  return [any, name, category, below, above, equals].every((each) => each === undefined)
    ? undefined
    : { name, category, below, above, equals };
}

function score(request: Request, param: string): number | undefined {
  const given = text(request, param);
  if (given === undefined) return undefined;
  const value = Number(given);
  if (given.trim() === '' || !Number.isFinite(value)) throw invalid(param, 'expected a number');
  return value;
}

function invalid(param: string, reason: string): SluiceError {
  return new SluiceError('invalid_value', { param, values: { reason } });
}

function text({ query }: Request, name: string): string | undefined {
  const given: unknown = query[name];
  if (given === undefined || given === '') return undefined;
  if (typeof given !== 'string') throw invalid(name, 'expected one value');
  return given;
}

/** A UUID, or a GraphQL ID: the type, a colon and the UUID in base64url. */
function idOf(type: 'ApiKey' | 'User', given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const decoded = Buffer.from(given.slice(0, 200), 'base64url').toString();
  return decoded.startsWith(`${type}:`) ? decoded.slice(type.length + 1) : given;
}

function isTrue(request: Request, name: string): true | undefined {
  const given = text(request, name);
  if (given === undefined || given === 'true') return given && true;
  throw invalid(name, 'expected true');
}

function status(given: string | undefined): UsageStatus | undefined {
  const found = usageStatuses.find((each) => each === given?.toLowerCase());
  if (given === undefined || found !== undefined) return found;
  throw invalid('status', `expected one of ${usageStatuses.join(', ')}`);
}

/** PostgreSQL stores neither NUL nor lone surrogates. */
function words(given: string | undefined): string | undefined {
  if (given === undefined || isSearchable(given)) return given;
  throw invalid('text', `expected text of at most ${MAX_SEARCH_LENGTH} characters`);
}

/** `name=value`, or only the name. */
function tag(given: string | undefined): UsageLogFilter['tag'] {
  if (given === undefined) return undefined;
  const at = given.indexOf('=');
  return at < 0 ? { name: given } : { name: given.slice(0, at), value: given.slice(at + 1) };
}
