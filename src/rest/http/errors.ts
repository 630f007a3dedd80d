import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { SluiceError, messageWithKeyAdvice, toSluiceError, type ErrorCode } from '../../errors/index.ts';
import type { GatewayMetrics } from '../../gateway/metrics/metrics.ts';
import { asInputError } from '../../services/unstorable-text.ts';
import { logExhausted } from '../../gateway/request/log-exhausted.ts';
import { requestedModelOf } from '../../gateway/usage/rejected-request.ts';
import type { RejectedRequests } from '../../gateway/usage/rejections.ts';
import { setSerialisedHeaders, setStandardHeaders } from '../headers/response-headers.ts';
import { errorBody } from './client-format.ts';
import { sendJson } from './send-json.ts';
import { rejectedRouteOf } from '../paths/rejected-route.ts';
import { publicOriginOf } from './request-origin.ts';
import { identityOf } from '../headers/request-headers.ts';

/** Log for details that clients must not receive. Compatible with pino. */
export interface EdgeLog {
  error(fields: object, message: string): void;
}

/** Longer paths are truncated in error messages. */
const MAX_SHOWN_LENGTH = 200;

/** Last handler of a router: no route matched. */
export const unknownUrl: RequestHandler = (request) => {
  throw new SluiceError('unknown_url', { values: { method: request.method, path: shownPath(request) } });
};

/** Last handler of a route: the method is not supported. */
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

/** The path as the client wrote it, truncated. */
export function shownPath(request: Request): string {
  const [path = ''] = (request.res?.locals.writtenUrl ?? request.originalUrl).split('?', 1);
  return path.length > MAX_SHOWN_LENGTH ? `${path.slice(0, MAX_SHOWN_LENGTH)}…` : path;
}

/** Renders all REST errors. Unexpected errors are masked and logged. */
export function renderErrors(
  log: EdgeLog,
  metrics: GatewayMetrics,
  rejections?: RejectedRequests,
): ErrorRequestHandler {
  return (thrown: unknown, request, response, _next) => {
    const error = toSluiceError(asInputError(thrown));
    metrics.errorAnswered(error.code);
    if (rejections) recordRejected(rejections, request, response, error);
    if (error.code === 'resources_exhausted') logExhausted(log, error);
    else if (error.status >= 500 || error.detail !== undefined)
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

/** Only requests with a known key have an account whose usage log can contain them. */
function recordRejected(rejections: RejectedRequests, request: Request, response: Response, error: SluiceError): void {
  const { key = error.refusedKey } = response.locals;
  if (!key) return;
  const { eventId } = identityOf(response);
  const { capability, protocol, model } = rejectedRouteOf(request);
  const { requestedModel, target } = requestedModelOf(error);
  rejections.record({
    eventId,
    key,
    capability,
    protocol,
    requestedModel: model ?? requestedModel,
    target,
    error,
  });
}

/** Sends an error in the format of the client's protocol. If the response has started, its connection is closed instead. */
export function answerError(response: Response, error: SluiceError): void {
  response.locals.span?.failed(error.code);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  setStandardHeaders(response);
  if (error.status === 401) response.setHeader('www-authenticate', 'Bearer');
  setRetryHeaders(response, error);
  const message = error.status === 401 ? messageWithKeyAdvice(error, publicOriginOf(response.req)) : error.message;
  const { requestId, clock } = identityOf(response);
  setSerialisedHeaders(response, response.locals.clientFormat?.headers(requestId, null, clock.now()) ?? '');
  const body = errorBody(response, error, message, requestId);
  sendJson(response, error.status, isForCohere(response.req) ? withCohereMessage(body, message) : body);
}

/** Requests that bypass the routing of Express have no `originalUrl`. */
function isForCohere({ url, originalUrl = url }: Request): boolean {
  return originalUrl.startsWith('/v2/');
}

/** Cohere's clients read `message`. Source: docs.cohere.com/reference/errors. */
function withCohereMessage(openAiBody: string, message: string): string {
  return `{"message":${JSON.stringify(message)},${openAiBody.slice(1)}`;
}

/** `retry-after` of temporary errors that do not specify one. */
const DEFAULT_RETRY_AFTER_MS = 1000;

/** Errors that a retry cannot fix, although clients retry requests with their status. */
const finalErrors: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'insufficient_quota',
  'idempotency_key_reused',
  'idempotency_interrupted',
  'idempotency_not_replayable',
]);

function setRetryHeaders(response: Response, error: SluiceError): void {
  const isFinal = finalErrors.has(error.code);
  if (isFinal) response.setHeader('x-should-retry', 'false');
  const isTemporary = error.status === 429 || error.status === 503 || error.code === 'idempotency_in_progress';
  // Clients may retry whenever `retry-after` is present. For final errors `x-should-retry: false` prevents that.
  if (isFinal ? error.retryAfterMs === undefined : !isTemporary) return;
  const waitMs = Math.max(0, Math.ceil(error.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS));
  response.setHeader('retry-after', String(Math.ceil(waitMs / 1000)));
  response.setHeader('retry-after-ms', String(waitMs));
}
