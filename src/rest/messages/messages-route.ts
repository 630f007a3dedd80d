import type { Request, RequestHandler, Response } from 'express';
import { toSluiceError } from '../../errors/index.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import type { RequestInput } from '../../gateway/request-input.ts';
import { answerError } from '../http/errors.ts';
import { messagesProtocol } from '../../gateway/capabilities/messages/messages-protocol.ts';
import type { TextCall } from '../../gateway/capabilities/text/text-request.ts';
import { countMessageTokens } from '../../gateway/capabilities/messages/count-tokens.ts';
import { authenticate } from '../authentication/authenticate.ts';
import { readJson, type CapabilityRouteDependencies } from '../capability-route.ts';
import { setStandardHeaders } from '../headers/response-headers.ts';
import { sendJson } from '../http/send-json.ts';
import { textRoute } from '../text-route.ts';

/** Headers of Anthropic's clients that belong to the protocol. Sources: Anthropic's API reference; requests of Claude Code 2.1. */
const forwarded: ReadonlySet<string> = new Set(['anthropic-beta', 'x-app', 'x-claude-code-session-id']);

/** `POST /messages`. */
export function messagesRoute(deps: CapabilityRouteDependencies): RequestHandler {
  return textRoute(deps, messagesProtocol, callOf);
}

/** `POST /messages/count_tokens`: free of charge, and an estimate, which a header says. */
export function countTokensRoute(deps: CapabilityRouteDependencies): RequestHandler {
  const { router } = deps.pipeline.dependencies;
  const answer = (response: Response, key: KeyRecord, input: RequestInput): void => {
    const body = JSON.stringify({ input_tokens: countMessageTokens(router, key, input) });
    setStandardHeaders(response);
    response.setHeader('x-sluice-estimated', 'input_tokens');
    sendJson(response, 200, body);
  };
  return async (request, real) => {
    const key = await authenticate(request, deps);
    const claimed = deps.idempotency.begin(request, real, key);
    const response = claimed?.response ?? real;
    const fail = (error: unknown): void => answerError(response, toSluiceError(error));
    const count = (input: RequestInput): void => {
      try {
        answer(response, key, input);
      } catch (error) {
        fail(error);
      }
    };
    readJson(
      request,
      key,
      (input) => (claimed === null ? count(input) : claimed.claim(input, () => count(input), fail)),
      fail,
    );
  };
}

function callOf({ headers, url }: Request): TextCall {
  const named = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && forwarded.has(name) ? [name, value] : [],
  );
  // The only parameter of the API. Others may hold a credential.
  return { headers: named, query: /[?&]beta=true(?:&|$)/.test(url) ? 'beta=true' : '' };
}
