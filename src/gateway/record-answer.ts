import type { AnswerRecording } from './answer-recording.ts';
import type { Call, RequestDependencies } from './call.ts';
import type { Capability } from './capabilities/capability.ts';
import type { RequestInput } from './request-input.ts';

/** Records the response where the request asks to store it; null where it is not stored. */
export function recordAnswer<Request, Summary>(
  { completions, log }: RequestDependencies,
  capability: Capability<Request, Summary>,
  { eventId, key }: Call,
  request: Request,
  input: RequestInput,
  isOutlined: boolean,
): AnswerRecording | null {
  if (capability.recording?.isRequested(request) !== true || completions === undefined) return null;
  if (key.zeroRetention === true || !Buffer.isBuffer(input)) return null;
  return capability.recording.start(request, {
    eventId,
    key,
    outlinedBody: isOutlined ? input : null,
    store: completions,
    log,
  });
}
