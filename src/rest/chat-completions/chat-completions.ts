import type { Request, RequestHandler, Response } from 'express';
import { toSluiceError } from '../../errors/index.ts';
import { chat } from '../../gateway/capabilities/chat/chat.ts';
import type { KeyDirectory, KeyRecord } from '../../gateway/key-directory.ts';
import type { LimitStore } from '../../gateway/limits/limit-store.ts';
import type { Pipeline } from '../../gateway/pipeline.ts';
import { authenticate } from '../authenticate.ts';
import { requireJson } from '../content-type.ts';
import { mostBodyBytes, readBody } from '../read-body.ts';
import { identityOf } from '../request-identity.ts';
import { readCacheHeader } from '../cache-header.ts';
import { HttpOutlet } from './http-outlet.ts';

export interface ChatCompletionsDependencies {
  readonly keys: KeyDirectory;
  readonly limits: LimitStore;
  readonly pipeline: Pipeline;
}

/** `POST /v1/chat/completions`: who calls, the body, then the pipeline. */
export function chatCompletions(deps: ChatCompletionsDependencies): RequestHandler {
  return (request, response) => {
    const key = authenticate(request, deps.keys);
    if (!(key instanceof Promise)) return answer(deps, request, response, key);
    return key.then((found) => answer(deps, request, response, found));
  };
}

function answer(deps: ChatCompletionsDependencies, request: Request, response: Response, key: KeyRecord): void {
  const identity = identityOf(response);
  const outlet = new HttpOutlet(response, identity, key, deps.limits);
  let cacheMs: number | null;
  try {
    requireJson(request);
    cacheMs = readCacheHeader(request);
  } catch (error) {
    outlet.fail(toSluiceError(error), null);
    return;
  }
  const call = {
    key,
    eventId: identity.eventId,
    requestId: identity.requestId,
    startedAt: identity.startedAt,
    outlet,
    cacheMs,
    watch: null,
  };
  readBody(
    request,
    mostBodyBytes,
    (body) => outlet.follow(deps.pipeline.open(chat, call, body)),
    (error) => {
      // The rest of the body is not worth reading for the next request.
      response.setHeader('connection', 'close');
      outlet.fail(error, null);
    },
  );
}
