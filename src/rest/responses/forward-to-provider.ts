import type { Request, Response } from 'express';
import { toSluiceError } from '../../errors/index.ts';
import { forwardTo, holderOf } from '../../gateway/capabilities/responses/held-response.ts';
import { noResponse } from '../../services/responses/response-input.ts';
import { responseNames } from '../../services/responses/response-id.ts';
import { keyOf } from '../authentication/caller.ts';
import { setStandardHeaders } from '../headers/response-headers.ts';
import { answerError } from '../http/errors.ts';
import type { ResponseRouteDependencies } from './route-dependencies.ts';

/** What is asked about a response. */
export interface Forwarding {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Of the path, after the response's id. */
  readonly suffix?: string;
}

/** Whether a response is not stored here: then a provider may hold it. */
export function isAtProvider(publicId: string): boolean {
  return responseNames.read(publicId) === null;
}

/**
 * Forwards a request about a response to the provider that holds it.
 * @throws SluiceError not_found where the client has not obtained it | database_unavailable
 */
export async function forwardToProvider(
  deps: ResponseRouteDependencies,
  request: Request,
  response: Response,
  { method, suffix = '' }: Forwarding,
): Promise<void> {
  const id = String(request.params.id);
  const action = method === 'GET' ? 'responses.read' : 'responses.write';
  const reach = await deps.access.reachOf(keyOf(response), action);
  const connection = (await holderOf(deps, reach, id)) ?? noResponse();
  const at = request.originalUrl.indexOf('?');
  const query = at < 0 ? '' : request.originalUrl.slice(at);
  const path = `/responses/${encodeURIComponent(id)}${suffix}${query}`;
  const isDeleting = method === 'DELETE';
  const closed = new Promise((resolve) => response.once('close', resolve));
  const forwarded = forwardTo(
    connection,
    { method, path },
    {
      head(status, contentType) {
        setStandardHeaders(response);
        response.statusCode = status;
        response.setHeader('content-type', contentType);
      },
      write: (bytes) => response.write(bytes),
      end: () =>
        void (isDeleting ? deps.objects.forget(reach, id) : Promise.resolve()).then(
          () => response.end(),
          (error: unknown) => answerError(response, toSluiceError(error)),
        ),
      fail: (error) => answerError(response, error),
    },
  );
  response.on('drain', () => forwarded.resume());
  await closed;
  if (!response.writableFinished) forwarded.abort();
}
