import type { RequestHandler } from 'express';
import { toSluiceError } from '../../errors/index.ts';
import { apiKeyIn } from '../../services/client-request/request-credentials.ts';
import { sendError } from './send-error.ts';

/** Rejects a request with several API keys. An error thrown in Apollo's context function would be a 500 response. */
export const requireSingleApiKey: RequestHandler = ({ headers }, response, next) => {
  try {
    apiKeyIn(headers);
  } catch (error) {
    sendError(response, toSluiceError(error));
    return;
  }
  next();
};
