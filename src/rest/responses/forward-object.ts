import type { Request, Response } from 'express';
import { SluiceError, toSluiceError } from '../../errors/index.ts';
import { forwardTo } from '../../gateway/capabilities/responses/forward-to.ts';
import {
  holderOf,
  requireObtained,
  type ConnectionSource,
} from '../../gateway/capabilities/responses/held-response.ts';
import type { ProviderObjectsService } from '../../services/provider-objects/provider-objects.service.ts';
import { keyOf } from '../authentication/caller.ts';
import type { ObjectAccess } from '../authentication/object-access.ts';
import { setStandardHeaders } from '../headers/response-headers.ts';
import { answerError } from '../http/errors.ts';

export interface ObjectForwarding {
  readonly objects: Pick<ProviderObjectsService, 'find' | 'forget'>;
  readonly connections: ConnectionSource;
  readonly access: ObjectAccess;
}

/** What is asked about a response or a conversation that a provider holds. */
export interface AboutObject {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly what: 'response' | 'conversation';
  readonly id: string;
  /** Of the path, after the object's id; percent-encoded. */
  readonly suffix?: string;
  /** JSON. */
  readonly body?: Buffer;
}

/**
 * Forwards a request about an object to the provider that holds it.
 * @throws SluiceError not_found where the client has not obtained it, or what the body names | database_unavailable
 */
export async function forwardObject(
  { objects, connections, access }: ObjectForwarding,
  request: Request,
  response: Response,
  { method, what, id, suffix = '', body }: AboutObject,
): Promise<void> {
  const reach = await access.reachOf(keyOf(response), method === 'GET' ? 'responses.read' : 'responses.write');
  const connection = await holderOf({ objects, connections }, reach, id);
  if (connection === null) throw new SluiceError('not_found', { values: { what } });
  if (body !== undefined) await requireObtained(objects, reach, connection, body);
  const at = request.originalUrl.indexOf('?');
  const query = at < 0 ? '' : request.originalUrl.slice(at);
  const path = `/${what}s/${encodeURIComponent(id)}${suffix}${query}`;
  const isDeleted = method === 'DELETE' && suffix === '';
  // The client may have gone during the look-up: then nothing would end what is forwarded.
  if (response.destroyed) return;
  const closed = new Promise((resolve) => response.once('close', resolve));
  const forwarded = forwardTo(
    connection,
    { method, path, ...(body && { body }) },
    {
      head(status, contentType) {
        setStandardHeaders(response);
        response.statusCode = status;
        response.setHeader('content-type', contentType);
      },
      write: (bytes) => response.write(bytes),
      end: () =>
        void (isDeleted ? objects.forget(reach, connection.id, id) : Promise.resolve()).then(
          () => response.end(),
          (error: unknown) => answerError(response, toSluiceError(error)),
        ),
      fail: (error) => answerError(response, error),
      destroy: () => response.destroy(),
    },
  );
  response.on('drain', () => forwarded.resume());
  await closed;
  if (!response.writableFinished) forwarded.abort();
}
