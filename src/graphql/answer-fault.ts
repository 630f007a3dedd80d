import type { Response } from 'express';
import type { SluiceError } from '../errors/index.ts';

/** Answers a request that no operation is run for. */
export function answerFault(response: Response, error: SluiceError): void {
  const { message, code } = error;
  response.status(error.status).json({ errors: [{ message, extensions: { code } }] });
}
