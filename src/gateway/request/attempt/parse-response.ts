import { toSluiceError } from '../../../errors/index.ts';
import type { ReceivedOutput } from '../../received-output.ts';
import type { Target } from '../../routing/target.ts';
import type { AdmittedRequest } from '../admitted-request.ts';
import type { RequestContext } from '../request-context.ts';
import type { AttemptEnd } from './attempt-end.ts';
import { providerError } from './provider-error.ts';

/** Of a capability that states none. */
export const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** Parses an unstreamed response. */
export function parseResponse<Request, Summary>(
  { capability }: RequestContext<Request, Summary>,
  { summary, metering, streamed, cache }: AdmittedRequest<Summary>,
  target: Target,
  received: ReceivedOutput,
): Extract<AttemptEnd, { type: 'answered' | 'failed' }> {
  try {
    if (streamed) throw providerError(target, 'provider_invalid_response', 'the response is not a stream');
    if (received.result !== null && capability.readResult !== undefined) {
      const { response, output } = capability.readResult(received.result);
      cache?.appendComplete(output);
      return { type: 'answered', output, response };
    }
    const output = received.take();
    const response = capability.parseResponse(target.connection.provider, output, summary, metering);
    return { type: 'answered', output, response };
  } catch (error) {
    return { type: 'failed', error: toSluiceError(error), isLocal: false };
  }
}
