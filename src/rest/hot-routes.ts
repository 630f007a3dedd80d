import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { requireCaller } from './authentication/caller.ts';
import { geminiRoute } from './gemini/gemini-route.ts';
import { googleFormat } from './gemini/google-format.ts';
import { useClientFormat, type ClientFormat } from './http/client-format.ts';
import type { First } from './http/express-server.ts';
import { anthropicFormat } from './messages/anthropic-format.ts';
import { createResponse } from './responses/create-response.ts';
import type { RestDependencies } from './router.ts';

/** As Google's SDKs write it: with the key in a header, and no escapes. */
const geminiUrl = /^\/v1(?:beta)?(\/models\/[^?%#]+:(?:generateContent|streamGenerateContent)(?:\?alt=sse)?)$/;

/**
 * Performance-critical routes, matched by their exact URL before the routing of Express. Other spellings reach the same handlers
 * through the router.
 */
export function hotRoutes(deps: RestDependencies, renderError: ErrorRequestHandler): First {
  const { capabilities, gemini, responses } = deps;
  const messages = inFormat(anthropicFormat, capabilities['/messages']);
  const generate = inFormat(googleFormat, geminiRoute(gemini));
  const routes = new Map<string, RequestHandler>([
    ['/v1/chat/completions', capabilities['/chat/completions']],
    ['/v1/messages', messages],
    ['/v1/messages?beta=true', messages],
    ...(responses ? [['/v1/responses', afterAuthentication(deps, createResponse(responses))] as const] : []),
  ]);
  return (request, response) => {
    if (request.method !== 'POST') return false;
    const handler = routes.get(request.url) ?? (isGemini(request) ? generate : undefined);
    if (handler === undefined) return false;
    const fail = (error: unknown): unknown => renderError(error, request, response, unreachable);
    try {
      const answering: unknown = handler(request, response, unreachable);
      if (answering instanceof Promise) answering.catch(fail);
    } catch (error) {
      fail(error);
    }
    return true;
  };
}

/** Removes what the router would remove from the URL. */
function isGemini(request: Request): boolean {
  const { url } = request;
  const found = geminiUrl.exec(url);
  if (found === null) return false;
  request.originalUrl = url;
  request.url = found[1] ?? url;
  return true;
}

function inFormat(format: ClientFormat, handler: RequestHandler): RequestHandler {
  const use = useClientFormat(format);
  return (request, response) => inTurn(request, response, use, handler);
}

function afterAuthentication(deps: RestDependencies, handler: RequestHandler): RequestHandler {
  const authenticate = requireCaller(deps);
  return (request, response) => inTurn(request, response, authenticate, handler);
}

/** Express does not mount these: an error of the second is the promise's rejection where the first one is asynchronous. */
function inTurn(request: Request, response: Response, first: RequestHandler, second: RequestHandler): unknown {
  let answering: unknown;
  const started: unknown = first(request, response, () => (answering = second(request, response, unreachable)));
  return started instanceof Promise ? started.then(() => answering) : answering;
}

function unreachable(): never {
  throw new Error('no handler follows this one');
}
