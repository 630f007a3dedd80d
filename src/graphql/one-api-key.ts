import type { RequestHandler } from 'express';
import { toSluiceError } from '../errors/index.ts';
import { apiKeyIn } from '../services/accounts/request-credentials.ts';
import { answerFault } from './answer-fault.ts';

/** Refuses a request that holds several keys. What Apollo's own look for credentials throws would be an answer of 500. */
export const oneApiKey: RequestHandler = ({ headers }, response, next) => {
  try {
    apiKeyIn(headers);
  } catch (error) {
    answerFault(response, toSluiceError(error));
    return;
  }
  next();
};
