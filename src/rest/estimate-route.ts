import type { Request, RequestHandler } from 'express';
import { toSluiceError } from '../errors/index.ts';
import type { KeyRecord } from '../gateway/keys/key-directory.ts';
import type { RequestInput } from '../gateway/request-input.ts';
import { authenticate } from './authentication/authenticate.ts';
import { readJson, type CapabilityRouteDependencies } from './capability-route.ts';
import { setStandardHeaders } from './headers/response-headers.ts';
import { answerError } from './http/errors.ts';
import { sendJson } from './http/send-json.ts';

/**
 * A `POST` route that estimates tokens: free of charge, and no request to a provider. The header `x-sluice-estimated` names
 * the members of the body that are estimates.
 */
export function estimateRoute(
  deps: CapabilityRouteDependencies,
  estimate: (request: Request, key: KeyRecord, input: RequestInput) => Readonly<Record<string, number | string>>,
): RequestHandler {
  return async (request, real) => {
    const key = await authenticate(request, deps);
    const claimed = deps.idempotency.begin(request, real, key);
    const response = claimed?.response ?? real;
    const fail = (error: unknown): void => answerError(response, toSluiceError(error));
    const answer = (input: RequestInput): void => {
      try {
        const body = estimate(request, key, input);
        setStandardHeaders(response);
        response.setHeader('x-sluice-estimated', numbersOf(body));
        sendJson(response, 200, JSON.stringify(body));
      } catch (error) {
        fail(error);
      }
    };
    readJson(
      request,
      key,
      (input) => (claimed === null ? answer(input) : claimed.claim(input, () => answer(input), fail)),
      fail,
    );
  };
}

function numbersOf(body: Readonly<Record<string, unknown>>): string {
  return Object.keys(body)
    .filter((name) => typeof body[name] === 'number')
    .join(', ');
}
