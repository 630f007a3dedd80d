import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import {
  SluiceError,
  messageWithKeyAdvice,
  renderOpenAiError,
  toSluiceError,
  type ErrorCode,
} from '../errors/index.ts';
import type { GatewayMetrics } from '../gateway/metrics.ts';
import { asCallersFault } from '../services/unstorable-text.ts';
import type { RejectedRequests } from '../gateway/rejections.ts';
import { setStandardHeaders } from './answer-headers.ts';
import { answerJson } from './answer-json.ts';
import { identityOf } from './request-identity.ts';
import { publicOriginOf } from './request-origin.ts';

declare global {
  // Express names its extension point so.
  namespace Express {
    interface Locals {
      /** What the route is for, where the key was refused. */
      capability?: string;
    }
  }
}

/** Where the edge tells the operator what callers must not read. Pino has this form. */
export interface EdgeLog {
  error(fields: object, message: string): void;
}

/** A longer path is cut in an error's text. */
const longestPath = 200;

/** Ends a chain of routes: nothing is here. */
export const unknownUrl: RequestHandler = (request) => {
  throw new SluiceError('unknown_url', { values: { method: request.method, path: shownPath(request) } });
};

/** Ends a route: the path is right, the method is not. */
export function onlyMethods(...methods: readonly string[]): RequestHandler {
  const allowed = methods.join(', ');
  return (request, response) => {
    response.setHeader('allow', allowed);
    if (request.method === 'OPTIONS') {
      response.statusCode = 204;
      response.end();
      return;
    }
    throw new SluiceError('method_not_supported', {
      values: { method: request.method, path: shownPath(request), allowed },
    });
  };
}

function shownPath(request: Request): string {
  const [path = ''] = request.originalUrl.split('?', 1);
  return path.length > longestPath ? `${path.slice(0, longestPath)}…` : path;
}

/** The one place where REST errors become answers. What is not ours is masked, and told to the log. */
export function renderErrors(
  log: EdgeLog,
  metrics: GatewayMetrics,
  rejections?: RejectedRequests,
): ErrorRequestHandler {
  return (thrown: unknown, request, response, _next) => {
    const error = toSluiceError(asCallersFault(thrown));
    metrics.errorAnswered(error.code);
    if (rejections) recordRejected(rejections, response, error);
    if (error.status >= 500 || error.detail !== undefined)
      log.error(
        {
          requestId: identityOf(response).requestId,
          method: request.method,
          code: error.code,
          detail: error.detail,
          err: error.cause ?? error,
        },
        'request failed',
      );
    answerError(response, error);
  };
}

/** Of a request whose key is known: strangers have no log. */
function recordRejected(rejections: RejectedRequests, response: Response, error: SluiceError): void {
  const { key = error.refusedKey, capability = null } = response.locals;
  if (!key) return;
  const { eventId } = identityOf(response);
  rejections.record({ eventId, key, capability, requestedModel: null, target: null, error });
}

/** Sends an error in OpenAI's form. An answer that began cannot become an error any more: its connection is cut. */
export function answerError(response: Response, error: SluiceError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  setStandardHeaders(response);
  if (error.status === 401) response.setHeader('www-authenticate', 'Bearer');
  setRetryHeaders(response, error);
  const message = error.status === 401 ? messageWithKeyAdvice(error, publicOriginOf(response.req)) : error.message;
  const body = renderOpenAiError(error, message);
  answerJson(response, error.status, isForCohere(response.req) ? withCohereMessage(body, message) : body);
}

/** A request that Express' routing has not seen has no `originalUrl`. */
function isForCohere({ url, originalUrl = url }: Request): boolean {
  return originalUrl.startsWith('/v2/');
}

/** Cohere's clients read `message`. Source: docs.cohere.com/reference/errors. */
function withCohereMessage(openAiBody: string, message: string): string {
  return `{"message":${JSON.stringify(message)},${openAiBody.slice(1)}`;
}

/** A refusal for now says when to come again. */
const usualWaitMs = 1000;

/** What the same request meets again, though clients repeat requests after their status. */
const finalRefusals: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'insufficient_quota',
  'idempotency_key_reused',
  'idempotency_interrupted',
  'idempotency_not_replayable',
]);

function setRetryHeaders(response: Response, error: SluiceError): void {
  const isFinal = finalRefusals.has(error.code);
  if (isFinal) response.setHeader('x-should-retry', 'false');
  const isForNow = error.status === 429 || error.status === 503 || error.code === 'idempotency_in_progress';
  // Clients repeat what says when, however long that is: what is final says so beside it.
  if (isFinal ? error.retryAfterMs === undefined : !isForNow) return;
  const waitMs = Math.max(0, Math.ceil(error.retryAfterMs ?? usualWaitMs));
  response.setHeader('retry-after', String(Math.ceil(waitMs / 1000)));
  response.setHeader('retry-after-ms', String(waitMs));
}
