import type { RequestHandler, Response } from 'express';
import { renderOpenAiError, type SluiceError } from '../../errors/index.ts';

/** How a client's protocol writes an error. */
export interface ErrorFormat {
  /** The body of an error response. */
  body(error: SluiceError, message: string, requestId: string): string;
}

declare global {
  // Express names its extension point so.
  namespace Express {
    interface Locals {
      /** OpenAI's format if absent. */
      errorFormat?: ErrorFormat;
    }
  }
}

const openAiFormat: ErrorFormat = { body: renderOpenAiError };

/** Errors of all later handlers have this format. */
export function useErrorFormat(format: ErrorFormat): RequestHandler {
  return (_request, response, next) => {
    response.locals.errorFormat = format;
    next();
  };
}

export function errorFormatOf(response: Response): ErrorFormat {
  return response.locals.errorFormat ?? openAiFormat;
}
