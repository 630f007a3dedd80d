import type { Request, RequestHandler } from 'express';
import { SluiceError } from '../../errors/index.ts';
import { countedMessages, messagesProtocol } from '../../gateway/capabilities/messages/messages-protocol.ts';
import { ProviderCounts } from '../../gateway/capabilities/text/provider-counts.ts';
import { heldCall } from '../../gateway/capabilities/text/open-text.ts';
import type { TextCall } from '../../gateway/capabilities/text/text-request.ts';
import { countMessageTokens } from '../../gateway/capabilities/text/count-tokens.ts';
import { readJson, type CapabilityRouteDependencies, type ReadInput } from '../capability-route.ts';
import { estimateRoute } from '../estimate-route.ts';
import { textRoute } from '../text-route.ts';

const VERSION_HEADER = 'anthropic-version';
/** One value: Node.js joins several with commas. */
const versionForm = /^[\w.-]{1,64}$/;

/** Headers of Anthropic's clients that belong to the protocol. Sources: Anthropic's API reference; requests of Claude Code 2.1. */
const forwarded: ReadonlySet<string> = new Set([VERSION_HEADER, 'anthropic-beta', 'x-app', 'x-claude-code-session-id']);

/** `POST /messages`. */
export function messagesRoute(deps: CapabilityRouteDependencies): RequestHandler {
  return textRoute(deps, messagesProtocol, callOf, readMessage);
}

/** `POST /messages/count_tokens`. */
export function countTokensRoute(deps: CapabilityRouteDependencies): RequestHandler {
  const { router } = deps.pipeline.dependencies;
  const counts = new ProviderCounts(deps.pipeline.dependencies, countedMessages);
  return estimateRoute(
    deps,
    (request, key, input) => {
      requireVersionForm(request);
      return { input_tokens: countMessageTokens({ router, key }, input) };
    },
    async (request, key, input, { requestId, signal }) => {
      const call = await heldCall(deps, messagesProtocol, { text: callOf(request), key, input });
      return counts.count({ ...call, key, input, requestId }, signal);
    },
  );
}

const readMessage: ReadInput = (request, ...rest) => {
  requireVersionForm(request);
  readJson(request, ...rest);
};

/** @throws SluiceError invalid_value */
function requireVersionForm({ headers }: Request): void {
  const version = headers[VERSION_HEADER];
  if (version === undefined || versionForm.test(String(version))) return;
  throw new SluiceError('invalid_value', {
    param: VERSION_HEADER,
    values: { reason: 'it must be one version of the API, such as `2023-06-01`.' },
  });
}

function callOf({ headers, url }: Request): TextCall {
  const named = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && forwarded.has(name) ? [name, value] : [],
  );
  // The only parameter of the API. Others may hold a credential.
  return { headers: named, query: /[?&]beta=true(?:&|$)/.test(url) ? 'beta=true' : '' };
}
