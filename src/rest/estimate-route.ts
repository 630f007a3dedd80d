import type { Request, RequestHandler, Response } from 'express';
import { toSluiceError } from '../errors/index.ts';
import type { KeyRecord } from '../gateway/keys/key-directory.ts';
import type { RequestInput } from '../gateway/request-input.ts';
import { authenticate } from './authentication/authenticate.ts';
import { readJson, type CapabilityRouteDependencies } from './capability-route.ts';
import { identityOf } from './headers/request-headers.ts';
import { setStandardHeaders } from './headers/response-headers.ts';
import { answerError } from './http/errors.ts';
import { recordAtEdge } from './http/reject-at-edge.ts';
import { rejectedRouteOf } from './paths/rejected-route.ts';
import { sendJson } from './http/send-json.ts';

/** @returns the count of a provider; null where the estimate is all there is. @throws SluiceError */
export type CountAtProvider = (
  request: Request,
  key: KeyRecord,
  input: RequestInput,
  call: { readonly requestId: string; readonly signal: AbortSignal },
) => Promise<Buffer | null>;

type Estimate = Readonly<Record<string, number | string>>;

/**
 * A `POST` route that counts tokens free of charge. The header `x-sluice-estimated` names the members of the body that are
 * estimates.
 * @param estimate also validates the request
 * @param count absent where no provider is asked
 */
export function estimateRoute(
  deps: CapabilityRouteDependencies,
  estimate: (request: Request, key: KeyRecord, input: RequestInput) => Estimate | Promise<Estimate>,
  count?: CountAtProvider,
): RequestHandler {
  return async (request, real) => {
    const key = await authenticate(request, deps);
    const claimed = deps.idempotency.begin(request, real, key);
    const response = claimed?.response ?? real;
    let given: RequestInput | null = null;
    const fail = (thrown: unknown): void => {
      const error = toSluiceError(thrown);
      const rejected = { key, identity: identityOf(real), route: rejectedRouteOf(request), input: given };
      recordAtEdge(deps.pipeline, rejected, error);
      answerError(response, error);
    };
    const respond = async (input: RequestInput): Promise<void> => {
      const body = await estimate(request, key, input);
      const call = { requestId: identityOf(real).requestId, signal: signalOf(real) };
      const counted = (await count?.(request, key, input, call)) ?? null;
      setStandardHeaders(response);
      if (counted === null) response.setHeader('x-sluice-estimated', numbersOf(body));
      sendJson(response, 200, counted?.toString() ?? JSON.stringify(body));
    };
    const answer = (input: RequestInput): void => void respond(input).catch(fail);
    readJson(
      request,
      key,
      (input) => {
        given = input;
        if (claimed === null) answer(input);
        else claimed.claim(input, () => answer(input), fail);
      },
      fail,
    );
  };
}

/** Aborts when the client disconnects. */
function signalOf(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  return controller.signal;
}

function numbersOf(body: Readonly<Record<string, unknown>>): string {
  return Object.keys(body)
    .filter((name) => typeof body[name] === 'number')
    .join(', ');
}
