import { SluiceError, toSluiceError } from '../../../errors/index.ts';
import type { ChatReceiver } from '../../../providers/contract.ts';
import type { ReceivedOutput } from '../../received-output.ts';
import { reasoningFor } from '../../reasoning/account-reasoning.ts';
import type { ResolvedRoute } from '../../routing/resolved-route.ts';
import type { Target } from '../../routing/target.ts';
import type { AdmittedRequest } from '../admitted-request.ts';
import type { RequestContext } from '../request-context.ts';
import type { AttemptEnd } from './attempt-end.ts';

/**
 * Sends the request to one target.
 * @returns the names of the parameters that are left out
 * @throws SluiceError of status 400
 */
export function send<Request, Summary>(
  { body, call, capability, dependencies }: RequestContext<Request, Summary>,
  { parameters }: ResolvedRoute,
  target: Target,
  receiver: ChatReceiver,
): readonly string[] {
  const { key, requestId, response } = call;
  const { input, request, outline } = body.take(capability);
  const providerCall = {
    model: target.upstreamModel,
    body: Buffer.isBuffer(input) ? input : null,
    outline,
    requestId,
    accountId: key.accountId,
    zeroRetention: key.zeroRetention === true,
    publicAddress: response,
    parameters,
    reasoning: reasoningFor(dependencies.reasoning, key, target),
  };
  return capability.send(target.connection, request, providerCall, receiver);
}

/** Parses an unstreamed response. */
export function readAnswer<Request, Summary>(
  { capability }: RequestContext<Request, Summary>,
  { summary, metering, streamed, cache }: AdmittedRequest<Summary>,
  target: Target,
  received: ReceivedOutput,
): Extract<AttemptEnd, { type: 'answered' | 'failed' }> {
  try {
    if (streamed) throw providerError(target, 'provider_invalid_response', 'the response is not a stream');
    if (received.result !== null && capability.readResult !== undefined) {
      const { answer, output } = capability.readResult(received.result);
      cache?.appendComplete(output);
      return { type: 'answered', output, answer };
    }
    const output = received.take();
    const answer = capability.readAnswer(target.connection.provider, output, summary, metering);
    return { type: 'answered', output, answer };
  } catch (error) {
    return { type: 'failed', error: toSluiceError(error), isLocal: false };
  }
}

export function providerError(
  { connection: { provider } }: Target,
  code: 'provider_invalid_response' | 'provider_stream_cut',
  detail?: string,
): SluiceError {
  return new SluiceError(code, { values: { provider }, ...(detail !== undefined && { detail }) });
}
