import type { Request, RequestHandler, Response } from 'express';
import { toSluiceError } from '../../errors/index.ts';
import type { FormInput } from '../../gateway/request-input.ts';
import { keyOf } from '../authentication/caller.ts';
import type { FormLimits } from '../body/form-parts.ts';
import { readForm } from '../body/read-form.ts';
import { answerError } from '../http/errors.ts';
import type { FileRouteDependencies } from './route-dependencies.ts';

/** The form around a file is some hundred bytes. */
const FORM_BYTES = 1_024;

interface FormRoute {
  readonly limits: FormLimits;
  /** Refuses what is wrong before the form is sent. */
  admit(request: Request, response: Response): Promise<void> | void;
  answer(request: Request, response: Response, form: FormInput): Promise<void>;
}

/** A `POST` route that stores the file of a form, which is written to disk as it arrives. */
export function receiveForm(
  { files, uploads, idempotency }: FileRouteDependencies,
  { limits, admit, answer }: FormRoute,
): RequestHandler {
  const read = readForm(uploads, limits);
  const run = async (request: Request, response: Response, form: FormInput): Promise<void> => {
    try {
      await answer(request, response, form);
    } finally {
      form.release();
    }
  };
  return async (request, real) => {
    const key = keyOf(real);
    await admit(request, real);
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > FORM_BYTES) await files.requireSpace(key.accountId, announced - FORM_BYTES);
    const claimed = idempotency.begin(request, real, key);
    const response = claimed?.response ?? real;
    const fail = (error: unknown): void => answerError(response, toSluiceError(error));
    read(
      request,
      key,
      (input) => {
        // Only JSON is bytes.
        if (Buffer.isBuffer(input)) return;
        const begin = (): void => void run(request, response, input).catch(fail);
        if (claimed === null) begin();
        else claimed.claim(input, begin, fail);
      },
      fail,
    );
  };
}
