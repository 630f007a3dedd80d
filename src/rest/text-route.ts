import type { Request, RequestHandler } from 'express';
import type { ClientProtocol } from '../gateway/capabilities/text/client-protocol.ts';
import { openText } from '../gateway/capabilities/text/open-text.ts';
import type { TextCall } from '../gateway/capabilities/text/text-request.ts';
import { pipelineRoute, readJson, type CapabilityRouteDependencies, type ReadInput } from './capability-route.ts';

/**
 * A `POST` route of a client protocol.
 * @param callOf reads what the URL and the headers say
 * @param read checks the headers, too
 */
export function textRoute<Settings>(
  deps: CapabilityRouteDependencies,
  protocol: ClientProtocol<Settings>,
  callOf: (request: Request) => TextCall,
  read: ReadInput = readJson,
): RequestHandler {
  return pipelineRoute(deps, read, (request, call, input) => openText(deps, protocol, callOf(request), call, input));
}
