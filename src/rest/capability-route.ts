import type { Request, RequestHandler, Response } from 'express';
import { toSluiceError, type SluiceError } from '../errors/index.ts';
import type { Call, OpenRequest } from '../gateway/call.ts';
import type { Capability } from '../gateway/capabilities/capability.ts';
import type { ClientObjects } from '../gateway/capabilities/text/held-objects.ts';
import type { KeyRecord } from '../gateway/keys/key-directory.ts';
import type { LimitStore } from '../gateway/limits/limit-store.ts';
import type { MediaStore } from '../gateway/media/media-store.ts';
import type { Pipeline } from '../gateway/pipeline.ts';
import type { RequestInput } from '../gateway/request-input.ts';
import { withRequestedModel } from '../gateway/usage/rejected-request.ts';
import { writtenModel } from '../gateway/usage/written-model.ts';
import { authenticate, type KeyAuthentication } from './authentication/authenticate.ts';
import { HttpClientResponse } from './http/http-client-response.ts';
import type { Idempotency } from './idempotency/idempotency.ts';
import { MAX_BODY_BYTES, readBody } from './body/read-body.ts';
import { rejectAtEdge } from './http/reject-at-edge.ts';
import { rejectedRouteOf } from './paths/rejected-route.ts';
import type { UploadFolder } from './files/upload-folder.ts';
import type { Uploader } from './files/upload-space.ts';
import {
  identityOf,
  readCacheHeader,
  readLogHeader,
  readSessionHeader,
  readTagsHeader,
  requireJson,
} from './headers/request-headers.ts';
import { readTraceHeaders } from './headers/trace-headers.ts';
import { namedByDeployment } from './azure/named-by-deployment.ts';
import { requireParseable, withoutByteOrderMark } from '../gateway/capabilities/json-body.ts';

export interface CapabilityRouteDependencies extends KeyAuthentication {
  readonly limits: LimitStore;
  readonly pipeline: Pipeline;
  readonly uploads: UploadFolder;
  readonly media: MediaStore;
  readonly idempotency: Idempotency;
  /** As `TextDependencies.objects`. */
  readonly objects?: ClientObjects;
}

/** Reads the request body and calls `done` or `fail`. May also throw errors of the request. */
export type ReadInput = (
  request: Request,
  key: Uploader,
  done: (input: RequestInput) => void,
  fail: (error: SluiceError) => void,
) => void;

/** Opens the pipeline for one request whose body has been read. A promise may be rejected with errors of the request. */
export type OpenPipeline = (request: Request, call: Call, input: RequestInput) => OpenRequest | Promise<OpenRequest>;

/** A `POST` route of one capability: authenticates, reads the body, and opens the pipeline. */
export function capabilityRoute<Asked, Summary>(
  deps: CapabilityRouteDependencies,
  capability: Capability<Asked, Summary>,
  read: ReadInput = readJson,
): RequestHandler {
  return pipelineRoute(deps, read, (_request, call, input) => deps.pipeline.open(capability, call, input));
}

/** A `POST` route of the data plane. */
export function pipelineRoute(deps: CapabilityRouteDependencies, read: ReadInput, open: OpenPipeline): RequestHandler {
  const answer = (request: Request, real: Response, key: KeyRecord): void => {
    const identity = identityOf(real);
    const claimed = deps.idempotency.begin(request, real, key);
    const response = claimed?.response ?? real;
    const clientResponse = new HttpClientResponse(response, identity, key, deps.limits);
    const { eventId, requestId, startedAt } = identity;
    /** Only until it is opened: this closure lasts as long as the request. */
    let given: RequestInput | null = null;
    const reject = (error: SluiceError): void => {
      const rejected = { key, identity, clientResponse, route: rejectedRouteOf(request), input: given };
      rejectAtEdge(deps.pipeline, rejected, error);
    };
    try {
      const cacheMs = readCacheHeader(request);
      const contentLevel = readLogHeader(request);
      const tags = readTagsHeader(request);
      const session = readSessionHeader(request);
      const trace = readTraceHeaders(request, session);
      read(
        request,
        key,
        (read) => {
          const input = namedByDeployment(read, real.locals.deployment);
          given = input;
          const call = {
            key,
            eventId,
            requestId,
            startedAt,
            response: clientResponse,
            cacheMs,
            contentLevel,
            tags,
            session,
            trace,
            span: real.locals.span,
            watch: null,
          };
          const follow = (opened: OpenRequest): void => {
            given = null;
            // The client may have disconnected in the meantime.
            if (response.destroyed) opened.onClientDisconnect();
            else clientResponse.follow(opened);
          };
          const run = (): void => {
            const opened = open(request, call, input);
            if (opened instanceof Promise)
              return void opened.then(follow, (error: unknown) => reject(toSluiceError(error)));
            given = null;
            clientResponse.follow(opened);
          };
          if (claimed === null) run();
          else claimed.claim(input, run, reject);
        },
        (error) => {
          // Reading the rest of the body would cost more than a new connection.
          if (!response.headersSent) response.setHeader('connection', 'close');
          reject(error);
        },
      );
    } catch (error) {
      reject(toSluiceError(error));
    }
  };
  return (request, response) => {
    const key = authenticate(request, deps);
    return key instanceof Promise
      ? key.then((found) => answer(request, response, found))
      : answer(request, response, key);
  };
}

/** Reads a JSON body. */
export const readJson: ReadInput = (request, _key, done, fail) => {
  requireJson(request);
  readBody(
    request,
    MAX_BODY_BYTES,
    (body) => {
      try {
        requireParseable(body);
      } catch (error) {
        return fail(withRequestedModel(toSluiceError(error), { requestedModel: writtenModel(body), target: null }));
      }
      done(withoutByteOrderMark(body));
    },
    fail,
  );
};
