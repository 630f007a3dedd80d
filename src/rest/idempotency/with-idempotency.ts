import type { Request, RequestHandler, Response } from 'express';
import { SluiceError, toSluiceError } from '../../errors/index.ts';
import type { RequestInput } from '../../gateway/request-input.ts';
import { keyOf } from '../authentication/caller.ts';
import { readJson } from '../capability-route.ts';
import { answerError } from '../http/errors.ts';
import type { Idempotency } from './idempotency.ts';

const NO_BODY = Buffer.alloc(0);

/** Answers a request with an input that has been read. */
export type Answer<Input> = (request: Request, response: Response, input: Input) => Promise<void>;

/** A `POST` route without a body, whose response is repeated for the same `Idempotency-Key`. */
export function withIdempotency(
  idempotency: Idempotency,
  answer: (request: Request, response: Response) => Promise<void>,
): RequestHandler {
  return (request, response) => {
    const claimed = idempotency.begin(request, response, keyOf(response));
    if (claimed === null) return answer(request, response);
    const fail = (error: unknown): void => answerError(claimed.response, toSluiceError(error));
    return claimed.claim(NO_BODY, () => void answer(request, claimed.response).catch(fail), fail);
  };
}

/**
 * A `POST` route whose body is read first: `inputOf` describes it for the comparison with other requests of the same key.
 * @param read fails with the error of the request
 */
export function withReadInput<Input>(
  idempotency: Idempotency,
  read: (request: Request, response: Response) => Promise<Input>,
  inputOf: (input: Input) => RequestInput,
  answer: Answer<Input>,
): RequestHandler {
  return async (request, response) => {
    const claimed = idempotency.begin(request, response, keyOf(response));
    const input = await read(request, response);
    if (claimed === null) return answer(request, response, input);
    const fail = (error: unknown): void => answerError(claimed.response, toSluiceError(error));
    return claimed.claim(inputOf(input), () => void answer(request, claimed.response, input).catch(fail), fail);
  };
}

/** Fails with the error of the request. */
function readJsonBody(request: Request, response: Response): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    readJson(
      request,
      keyOf(response),
      (body) => (Buffer.isBuffer(body) ? resolve(body) : reject(new SluiceError('internal_error'))),
      reject,
    ),
  );
}

/** A `POST` route with a JSON body. */
export function withJsonBody(idempotency: Idempotency, answer: Answer<Buffer>): RequestHandler {
  return withReadInput(idempotency, readJsonBody, (body) => body, answer);
}
