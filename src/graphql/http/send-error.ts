import type { Response } from 'express';
import type { SluiceError } from '../../errors/index.ts';

/** Sends an error response without running an operation. */
export function sendError(response: Response, error: SluiceError): void {
  const { message, code } = error;
  response.status(error.status).json({ errors: [{ message, extensions: { code } }] });
}
