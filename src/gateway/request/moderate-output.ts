import { toSluiceError } from '../../errors/index.ts';
import type { ModerationGate } from '../moderation/moderation-gate.ts';
import type { AttemptEnd } from './attempt/attempt-end.ts';
import type { AdmittedRequest } from './admitted-request.ts';
import type { RequestContext } from './request-context.ts';
import { RequestAborted } from './request-signal.ts';

/**
 * Waits until moderation has passed the complete output.
 * @returns the end with what is left to send; the abort where the output is flagged or the client disconnects
 */
export async function moderateOutput<Request, Summary>(
  { signal }: RequestContext<Request, Summary>,
  { publisher }: AdmittedRequest<Summary>,
  gate: ModerationGate,
  end: AttemptEnd,
): Promise<AttemptEnd> {
  try {
    if (end.type === 'streamed') return { ...end, last: await signal.race(gate.finish(end.last)) };
    if (end.type === 'answered') await signal.race(gate.onResponse(end.response.updates(), publisher));
    return end;
  } catch (thrown) {
    const reason =
      thrown instanceof RequestAborted ? thrown.reason : { type: 'failed' as const, error: toSluiceError(thrown) };
    const used = end.used && { used: end.used };
    return { type: 'aborted', reason, ...used, ...(end.type === 'answered' && { response: end.response }) };
  }
}
