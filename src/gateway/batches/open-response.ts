import type { Call, OpenRequest } from '../call.ts';
import type { EarlierItems } from '../capabilities/responses/earlier-items.ts';
import { openResponse, responseEncoder } from '../capabilities/responses/open-response.ts';
import { readResponsesRequest } from '../capabilities/responses/parse.ts';
import { relayable, type RelayDependencies } from '../capabilities/responses/relay/relayable-request.ts';
import { openRelayable } from '../capabilities/responses/relay/relayed-response.ts';
import type { ResponseSink } from '../capabilities/responses/response-converter.ts';
import type { ResponsesRequest } from '../../protocols/responses/decode-request/schema.ts';
import type { OpenBatchResponse } from './open-line.ts';

export interface BatchResponseDependencies extends RelayDependencies {
  readonly earlier: Pick<EarlierItems, 'needs' | 'resolve' | 'conversation'>;
}

/** Runs requests of `POST /v1/responses` that no client is connected for; they are stored like others. */
export function batchResponses(deps: BatchResponseDependencies): OpenBatchResponse {
  return async (call, body) => {
    const relayed = await relayable(deps, call, {}, body);
    if (relayed !== null) openRelayable(deps.pipeline, relayed);
    else await convert(deps, call, body);
  };
}

async function convert(deps: BatchResponseDependencies, call: Call, body: Buffer): Promise<OpenRequest> {
  const given = readResponsesRequest(body);
  const found = deps.earlier.needs(given) ? await deps.earlier.resolve(await deps.reachOf(call.key), given) : null;
  const request: ResponsesRequest = found === null ? given : { ...given, input: [...found.before, ...found.input] };
  const stored = { input: found?.input ?? given.input, previousId: found?.previousId ?? null };
  const { eventId: id, key, response: client } = call;
  const sink: ResponseSink = {
    head: (head) => client.head(head),
    send: () => true,
    end: (response, _events, costNano) => {
      if (given.store !== false) deps.store({ id, key, model: given.model, ...stored, response, costNano });
      client.end(Buffer.from(JSON.stringify(response)), costNano);
    },
    refuse: (error, routed) => client.fail(error, routed),
    abort: () => client.abort(),
  };
  const encoder = responseEncoder(deps.pipeline, deps.names, call, request);
  return openResponse(deps.pipeline, call, request, sink, encoder);
}
