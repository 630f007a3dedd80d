import type { SluiceError } from '../../errors/index.ts';
import type { StreamRelay } from '../capabilities/capability.ts';
import { completeOutcome, partialOutcome } from '../usage/build-outcome.ts';
import type { RequestOutcome } from '../usage/request-outcome.ts';
import type { AttemptEnd } from './attempt/attempt-end.ts';
import type { AdmittedRequest } from './begin.ts';
import { logFailure } from './log-failure.ts';
import { CLIENT_CLOSED_REQUEST, type RequestContext } from './request-context.ts';

/** Prices what a request used, and releases its reservation. Resolves when the settle record is on disk. */
export async function settle<Request, Facts>(
  context: RequestContext<Request, Facts>,
  request: AdmittedRequest<Facts>,
  stream: StreamRelay | null,
  end: AttemptEnd,
): Promise<RequestOutcome> {
  context.signal.close();
  context.deadline.clear();
  request.guard?.end();
  const error = errorOf(end);
  if (error !== null) logFailure(context.parts.log, context.call.requestId, error);
  const outcome = outcomeOf(context, request, stream, end);
  await request.metering.settle(outcome);
  return outcome;
}

/** The error for the client; null for none. */
export function errorOf(end: AttemptEnd): SluiceError | null {
  if (end.type === 'failed') return end.error;
  return end.type === 'aborted' && end.reason.type === 'failed' ? end.reason.error : null;
}

function outcomeOf<Request, Facts>(
  { capability, isHeadSent }: RequestContext<Request, Facts>,
  { metering, facts, guard }: AdmittedRequest<Facts>,
  stream: StreamRelay | null,
  end: AttemptEnd,
): RequestOutcome {
  if (end.type === 'answered') return completeOutcome(metering, end.answer);
  const status = statusOf(end);
  // The complete response has arrived: its usage counts in any case.
  if (end.type === 'aborted' && end.answer) return { ...completeOutcome(metering, end.answer), ...status };
  const shown = isHeadSent || guard?.withheld === true;
  const unanswered = capability.usageWithoutResponse?.(facts, metering.inputTokens, metering) ?? metering.estimate(0);
  return partialOutcome(metering, stream, { shown, unanswered }, status);
}

function statusOf(end: AttemptEnd): Pick<RequestOutcome, 'status' | 'httpStatus' | 'error'> {
  const error = errorOf(end);
  if (error !== null) return { status: 'failed', httpStatus: error.status, error };
  if (end.type === 'aborted') return { status: 'aborted', httpStatus: CLIENT_CLOSED_REQUEST, error };
  return { status: 'succeeded', httpStatus: 200, error };
}
