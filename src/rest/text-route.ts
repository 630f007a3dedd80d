import type { Request, RequestHandler } from 'express';
import { unixSeconds } from '../calendar/clock.ts';
import type { ClientProtocol } from '../gateway/capabilities/text/client-protocol.ts';
import { ProtocolResponse } from '../gateway/capabilities/text/protocol-response.ts';
import { TextCapability, type TextCall } from '../gateway/capabilities/text/text-capability.ts';
import { pipelineRoute, readJson, type CapabilityRouteDependencies } from './capability-route.ts';

/**
 * A `POST` route of a client protocol.
 * @param callOf reads what the URL and the headers say
 */
export function textRoute<Settings>(
  deps: CapabilityRouteDependencies,
  protocol: ClientProtocol<Settings>,
  callOf: (request: Request) => TextCall,
): RequestHandler {
  return pipelineRoute(deps, 'chat', readJson, (request, call, input) => {
    const capability = new TextCapability(protocol, callOf(request));
    const response = new ProtocolResponse(call.response, () => {
      const { decoded } = capability;
      if (decoded === null) throw new Error('a response before its request is parsed');
      const { settings, model } = decoded;
      return protocol.encoder({ eventId: call.eventId, created: unixSeconds(), settings, model });
    });
    return deps.pipeline.open(capability, { ...call, response }, input);
  });
}
