import type { ErrorCode, SluiceError } from '../../errors/index.ts';
import { tokenUsage, type ParsedResponse, type StreamRelay, type TokenUsage } from '../capabilities/capability.ts';
import type { Metering } from '../usage/metering.ts';
import type { RequestOutcome } from '../usage/usage-record.ts';
import type { AttemptEnd, UsedTokens } from './attempt/attempt-end.ts';
import type { AdmittedRequest } from './admitted-request.ts';
import { logFailure } from './log-failure.ts';
import { CLIENT_CLOSED_REQUEST, type RequestContext } from './request-context.ts';

/** Releases the reservation of a request. Resolves when the settle record is on disk. */
export function closeRequest<Request, Summary>(
  context: RequestContext<Request, Summary>,
  request: AdmittedRequest<Summary>,
  outcome: RequestOutcome,
): Promise<void> | undefined {
  context.signal.close();
  context.deadline.clear();
  request.gate?.end();
  if (outcome.error !== null) logFailure(context.dependencies.log, context.call.requestId, outcome.error);
  return request.metering.recordOutcome(outcome);
}

/** The error for the client; null for none. */
export function clientErrorOf(end: AttemptEnd): SluiceError | null {
  if (end.type === 'failed') return end.error;
  return end.type === 'aborted' && end.reason.type === 'failed' ? end.reason.error : null;
}

/** Failures of this server, for which no provider was needed. */
const localFailures: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['metering_unavailable', 'resources_exhausted']);

/** The error of a request that was refused before a provider was sent anything; null for any other end. */
export function refusalOf(end: AttemptEnd): SluiceError | null {
  if (end.type !== 'failed' || !end.isLocal) return null;
  const { error } = end;
  return error.status < 500 || localFailures.has(error.code) ? error : null;
}

/** Prices what a request used. */
export function outcomeOf<Request, Summary>(
  { capability, isHeadSent }: RequestContext<Request, Summary>,
  { metering, summary, gate }: AdmittedRequest<Summary>,
  stream: StreamRelay | null,
  end: AttemptEnd,
): RequestOutcome {
  const { used } = end;
  if (end.type === 'answered') return completeOutcome(metering, end.response, used);
  const status = statusOf(end);
  // What has arrived completely counts in any case.
  if (end.type === 'aborted' && end.response) return { ...completeOutcome(metering, end.response, used), ...status };
  const shown = isHeadSent || (end.type === 'aborted' && gate?.hasOutput === true);
  const unanswered = capability.usageWithoutResponse?.(summary, metering.inputTokens, metering) ?? metering.estimate(0);
  return partialOutcome(metering, stream, { shown, unanswered, used }, status);
}

/** The outcome of a request that an internal error ends. */
export function failedOutcome(error: SluiceError): RequestOutcome {
  const usage = tokenUsage(0, 0);
  return { status: 'failed', httpStatus: error.status, error, usage, cost: 0n, estimated: false, finishReason: null };
}

/** The outcome of a request that was refused before a provider was sent anything. */
export function rejectedOutcome(error: SluiceError): RequestOutcome {
  return { ...failedOutcome(error), status: 'rejected' };
}

function statusOf(end: AttemptEnd): Pick<RequestOutcome, 'status' | 'httpStatus' | 'error'> {
  const error = clientErrorOf(end);
  if (error !== null) return { status: 'failed', httpStatus: error.status, error };
  if (end.type === 'aborted') return { status: 'aborted', httpStatus: CLIENT_CLOSED_REQUEST, error };
  return { status: 'succeeded', httpStatus: 200, error };
}

/** The progress of a request that ends before its response is complete. */
interface StreamProgress {
  /** Whether the provider produced output, sent to the client or withheld. */
  readonly shown: boolean;
  /** The usage if there was no output. */
  readonly unanswered: TokenUsage;
  /** As `AttemptEnd.used`. */
  readonly used: UsedTokens | undefined;
}

/** The outcome of a request that ends before its response is complete. */
function partialOutcome(
  metering: Metering,
  relay: StreamRelay | null,
  { shown, unanswered, used }: StreamProgress,
  outcome: Pick<RequestOutcome, 'status' | 'httpStatus' | 'error'>,
): RequestOutcome {
  const { status } = outcome;
  // A request that fails before any output is free; one whose client disconnected is not, once it may have been sent.
  const produced =
    used?.hasResponse === true ||
    shown ||
    status === 'succeeded' ||
    (status === 'aborted' && metering.mayHaveReachedProvider);
  const known = used?.tokens ?? (relay === null ? unanswered : relayed(metering, relay));
  const usage = produced ? known : tokenUsage(0, 0);
  return {
    ...outcome,
    usage,
    cost: metering.costOf(usage),
    estimated: produced && (used?.isEstimated ?? relay?.isUsageEstimated !== false),
    finishReason: relay?.finishReason ?? null,
  };
}

/** The outcome of an unstreamed response. */
function completeOutcome(metering: Metering, response: ParsedResponse, used: UsedTokens | undefined): RequestOutcome {
  const usage = responseUsage(metering, response, used);
  return {
    status: 'succeeded',
    httpStatus: 200,
    error: null,
    usage,
    cost: metering.costOf(usage),
    estimated: response.usage === null || response.isUsageEstimated === true,
    finishReason: response.finishReason,
  };
}

/** What a complete response used. */
export function completeUsage(
  metering: Metering,
  end: Extract<AttemptEnd, { readonly type: 'answered' | 'streamed' }>,
): TokenUsage {
  if (end.type === 'answered') return responseUsage(metering, end.response, end.used);
  return end.used?.tokens ?? relayed(metering, end.stream);
}

function responseUsage(metering: Metering, response: ParsedResponse, used: UsedTokens | undefined): TokenUsage {
  return response.usage ?? used?.tokens ?? metering.estimate(response.estimatedOutputTokens);
}

function relayed(metering: Metering, relay: StreamRelay): TokenUsage {
  return relay.usage ?? metering.estimate(relay.estimatedOutputTokens);
}
