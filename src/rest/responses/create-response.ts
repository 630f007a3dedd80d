import type { Request, RequestHandler, Response } from 'express';
import { toSluiceError, type SluiceError } from '../../errors/index.ts';
import type { BackgroundRuns } from '../../gateway/capabilities/responses/background/background-runs.ts';
import type { RunRequest } from '../../gateway/capabilities/responses/background/run-request.ts';
import type { ResponseCall } from '../../gateway/capabilities/responses/open-response.ts';
import type { RequestInput } from '../../gateway/request-input.ts';
import { RewrittenResponse } from '../../gateway/rewritten-response.ts';
import { setRateLimitHeaders, setStandardHeaders } from '../headers/response-headers.ts';
import { sendJson } from '../http/send-json.ts';
import { keyOf } from '../authentication/caller.ts';
import { readJson } from '../capability-route.ts';
import { HttpClientResponse } from '../http/http-client-response.ts';
import { followResponse } from './follow-response.ts';
import { rejectAtEdge } from '../http/reject-at-edge.ts';
import { rejectedRouteOf } from '../paths/rejected-route.ts';
import { respond, type ResponseClient } from './respond.ts';
import type { ResponseRouteDependencies } from './route-dependencies.ts';
import {
  identityOf,
  readCacheHeader,
  readLogHeader,
  readSessionHeader,
  readTagsHeader,
} from '../headers/request-headers.ts';
import { readTraceHeaders } from '../headers/trace-headers.ts';

/** How a route differs from `POST /responses`. */
export interface ResponseVariant {
  /** @throws SluiceError of status 400 */
  input(input: RequestInput): RequestInput;
  /** @throws SluiceError for a document that is none of the route */
  document(document: Buffer): Buffer;
}

/** `POST /responses`. A request without a reference to stored items does not wait for the database. */
export function createResponse(
  deps: ResponseRouteDependencies,
  variant: ResponseVariant | null = null,
): RequestHandler {
  return (request, real) => {
    const key = keyOf(real);
    const claimed = deps.idempotency.begin(request, real, key);
    const response = claimed?.response ?? real;
    const identity = identityOf(response);
    const http = new HttpClientResponse(response, identity, key, deps.limits);
    const clientResponse = variant === null ? http : new RewrittenResponse(http, (body) => variant.document(body));
    let given: RequestInput | null = null;
    const fail = (error: unknown): void => {
      if (!request.readableEnded && !response.headersSent) response.setHeader('connection', 'close');
      const rejected = { key, identity, clientResponse, route: rejectedRouteOf(request), input: given };
      rejectAtEdge(deps.pipeline, rejected, toSluiceError(error));
    };
    try {
      const call = callOf(request, response);
      readJson(
        request,
        key,
        (read) => {
          given = read;
          const client: ResponseClient = {
            isGone: () => response.destroyed,
            follow: (openRequest) => http.follow(openRequest),
            startInBackground: (run, stored) => inBackground(deps, call, response, run, stored),
          };
          const { headers } = request;
          const run = async (): Promise<void> => {
            const body = variant === null ? read : variant.input(read);
            await respond(deps, { call, headers, clientResponse, client }, body);
          };
          const runOrFail = (): void => void run().catch(fail);
          if (claimed === null) runOrFail();
          else claimed.claim(read, runOrFail, fail);
        },
        (error: SluiceError) => fail(error),
      );
    } catch (error) {
      fail(error);
    }
  };
}

function callOf(request: Request, response: Response): ResponseCall {
  const { eventId, requestId, startedAt } = identityOf(response);
  const [cacheMs, tags] = [readCacheHeader(request), readTagsHeader(request)];
  const contentLevel = readLogHeader(request);
  const session = readSessionHeader(request);
  const trace = readTraceHeaders(request, session);
  return {
    key: keyOf(response),
    eventId,
    requestId,
    startedAt,
    cacheMs,
    contentLevel,
    tags,
    session,
    trace,
    span: response.locals.span,
    watch: null,
  };
}

async function inBackground(
  deps: ResponseRouteDependencies,
  call: ResponseCall,
  response: Response,
  request: RunRequest,
  stored: Parameters<BackgroundRuns['start']>[2],
): Promise<void> {
  const { dropped } = request;
  const queued = await deps.runs.start(call, request, stored);
  setRateLimitHeaders(response, deps.limits.view(call.key));
  if (dropped.length > 0) response.setHeader('x-sluice-dropped-params', dropped.join(', '));
  if (request.isStreamed)
    return followResponse(
      deps,
      response,
      { accountId: call.key.accountId, apiKeyId: call.key.id },
      String(queued.id),
      -1,
    );
  setStandardHeaders(response);
  sendJson(response, 200, JSON.stringify(queued));
}
