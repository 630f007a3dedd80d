import type { ChatReceiver } from '../../../providers/contract.ts';
import { withTraceHeaders } from '../../../providers/shared/tracing/outbound-trace.ts';
import { reasoningFor } from '../../reasoning/account-reasoning.ts';
import type { Target } from '../../routing/target.ts';
import type { RequestContext } from '../request-context.ts';
import type { ResolvedRequest } from '../resolution/resolve.ts';

/**
 * Sends the request to one target.
 * @returns the names of the parameters that are left out
 * @throws SluiceError of status 400
 */
export function send<Request, Summary>(
  { body, call, capability, dependencies }: RequestContext<Request, Summary>,
  { route: { parameters }, recording }: Pick<ResolvedRequest<Summary>, 'route' | 'recording'>,
  target: Target,
  receiver: ChatReceiver,
): readonly string[] {
  const { key, requestId, response, span } = call;
  const { input, request, outline } = body.take(capability);
  const providerCall = {
    model: target.upstreamModel,
    body: Buffer.isBuffer(input) ? input : null,
    outline,
    requestId,
    accountId: key.accountId,
    zeroRetention: key.zeroRetention === true,
    isStored: recording !== null,
    publicAddress: response,
    parameters,
    reasoning: reasoningFor(dependencies.reasoning, key, target),
  };
  const { connection } = target;
  if (span === undefined) return capability.send(connection, request, providerCall, receiver);
  return withTraceHeaders(span.outboundHeaders, () => capability.send(connection, request, providerCall, receiver));
}
