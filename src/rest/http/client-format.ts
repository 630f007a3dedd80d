import type { RequestHandler, Response } from 'express';
import { renderOpenAiError, type SluiceError } from '../../errors/index.ts';
import type { RateLimitView } from '../../gateway/limits/limit-store.ts';

/** How a client's protocol is written, where it differs from OpenAI's. */
export interface ClientFormat {
  /** The body of an error response. */
  errorBody(error: SluiceError, message: string, requestId: string): string;
  /** Further headers of every response, serialised as by `rateLimitHeaders`. @param view null where no key is known; @param now milliseconds since the epoch */
  headers(requestId: string, view: RateLimitView | null, now: number): string;
}

declare global {
  // Express names its extension point so.
  namespace Express {
    interface Locals {
      /** OpenAI's if absent. */
      clientFormat?: ClientFormat;
    }
  }
}

/** Responses of all later handlers, errors included, have this format. */
export function useClientFormat(format: ClientFormat): RequestHandler {
  return (_request, response, next) => {
    response.locals.clientFormat = format;
    next();
  };
}

export function errorBody(response: Response, error: SluiceError, message: string, requestId: string): string {
  return response.locals.clientFormat?.errorBody(error, message, requestId) ?? renderOpenAiError(error, message);
}
