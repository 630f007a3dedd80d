import type { Request, RequestHandler } from 'express';
import { messagesProtocol } from '../../gateway/capabilities/messages/messages-protocol.ts';
import type { TextCall } from '../../gateway/capabilities/text/text-request.ts';
import { countMessageTokens } from '../../gateway/capabilities/text/count-tokens.ts';
import type { CapabilityRouteDependencies } from '../capability-route.ts';
import { estimateRoute } from '../estimate-route.ts';
import { textRoute } from '../text-route.ts';

/** Headers of Anthropic's clients that belong to the protocol. Sources: Anthropic's API reference; requests of Claude Code 2.1. */
const forwarded: ReadonlySet<string> = new Set(['anthropic-beta', 'x-app', 'x-claude-code-session-id']);

/** `POST /messages`. */
export function messagesRoute(deps: CapabilityRouteDependencies): RequestHandler {
  return textRoute(deps, messagesProtocol, callOf);
}

/** `POST /messages/count_tokens`. */
export function countTokensRoute(deps: CapabilityRouteDependencies): RequestHandler {
  const { router } = deps.pipeline.dependencies;
  return estimateRoute(deps, (_request, key, input) => ({ input_tokens: countMessageTokens({ router, key }, input) }));
}

function callOf({ headers, url }: Request): TextCall {
  const named = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && forwarded.has(name) ? [name, value] : [],
  );
  // The only parameter of the API. Others may hold a credential.
  return { headers: named, query: /[?&]beta=true(?:&|$)/.test(url) ? 'beta=true' : '' };
}
