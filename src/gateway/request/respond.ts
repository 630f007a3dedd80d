import type { AnswerRecording } from '../answer-recording.ts';
import { endWith, writeOutput, type CompleteOutput, type RelayedOutput } from '../relayed-output.ts';
import type { RequestOutcome } from '../usage/usage-record.ts';
import type { AttemptEnd } from './attempt/attempt-end.ts';
import type { AttemptSummary } from './attempt/attempt-summary.ts';
import type { AdmittedRequest } from './admitted-request.ts';
import { CLIENT_CLOSED_REQUEST, type RequestContext } from './request-context.ts';
import { lastUpdate } from './publish.ts';
import { clientErrorOf } from './settle.ts';

/** Publishes the end of a settled request, and sends the rest of the response. */
export function respond<Request, Summary>(
  context: RequestContext<Request, Summary>,
  request: AdmittedRequest<Summary>,
  attempt: AttemptSummary,
  end: AttemptEnd,
  outcome: RequestOutcome,
): void {
  const { response } = context.call;
  const { publisher, metering, recording } = request;
  if (publisher.isWatched) {
    const durationMs = context.dependencies.clock.monotonic() - context.call.startedAt;
    publisher.publish(lastUpdate(outcome, durationMs, metering.times.firstTokenMs));
  }
  const error = clientErrorOf(end);
  if (error !== null) {
    context.end(error.status, error.code);
    const { connection, model } = attempt.target;
    response.fail(error, outcome.status === 'rejected' ? null : { provider: connection.provider, model });
  } else if (end.type === 'streamed') {
    const { contentType, closing } = end.stream;
    if (!context.isHeadSent) sendHead(context, request, attempt, { contentType, contentLength: null, costNano: null });
    context.end(200, null);
    if (end.last !== null) writeOutput(response, named(recording, end.last, true));
    response.end(closing, outcome.cost);
    recording?.store(null, outcome.cost);
  } else if (end.type === 'answered') {
    const output = named(recording, end.output, false);
    const contentLength = Buffer.isBuffer(output) ? output.length : null;
    const head = { contentType: end.response.contentType, contentLength, costNano: outcome.cost };
    sendHead(context, request, attempt, head);
    context.end(200, null);
    endWith(response, output, outcome.cost);
    if (Buffer.isBuffer(output)) recording?.store(output, outcome.cost);
  } else context.end(CLIENT_CLOSED_REQUEST, null);
}

/** Output for the client: by the id that it is stored by, where it is stored. */
export function named<Output extends RelayedOutput | CompleteOutput>(
  recording: AnswerRecording | null,
  output: Output,
  isStream: boolean,
): Output | Buffer {
  return recording !== null && Buffer.isBuffer(output) ? recording.named(output, isStream) : output;
}

interface HeadOfBody {
  /** JSON if absent. */
  readonly contentType?: string | undefined;
  /** As `ResponseHead.contentLength`. */
  readonly contentLength: number | null;
  /** Nano-USD; null where the cost is not known before the end. */
  readonly costNano: bigint | null;
}

/** Sends the head of the response. */
export function sendHead<Request, Summary>(
  context: RequestContext<Request, Summary>,
  { cache, gate, metering }: AdmittedRequest<Summary>,
  { target, dropped, stream }: AttemptSummary,
  { contentType = 'application/json', contentLength, costNano }: HeadOfBody,
): void {
  context.isHeadSent = true;
  const usage = stream?.usageAtHead ?? null;
  context.call.response.head({
    provider: target.connection.provider,
    model: target.model,
    contentType,
    contentLength,
    costNano: costNano ?? (usage === null ? null : metering.costOf(usage)),
    priced: !target.isUnpriced || cache?.hit != null,
    dropped,
    cache: cache && (cache.hit ? 'hit' : 'miss'),
    moderation: gate?.annotation ?? null,
  });
}
