import type { Request, RequestHandler, Response } from 'express';
import { SluiceError } from '../../errors/index.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import type { FormInput } from '../../gateway/request-input.ts';
import { toMessageBatch } from '../../services/batches/message-batch.ts';
import { keyOf } from '../authentication/caller.ts';
import { identityOf, requireJson } from '../headers/request-headers.ts';
import { setStandardHeaders } from '../headers/response-headers.ts';
import { drainRequest } from '../http/drain-request.ts';
import { originOf } from '../http/request-origin.ts';
import { sendJson } from '../http/send-json.ts';
import { MessageBatchBody } from './read-message-batch.ts';
import type { BatchRouteDependencies } from './route-dependencies.ts';
import { withReadInput } from '../idempotency/with-idempotency.ts';

/** The requests of a batch that is not created yet. */
interface StoredRequests {
  readonly key: KeyRecord;
  readonly blobId: string;
  readonly sha256: Buffer;
  readonly total: number;
}

/** `POST /messages/batches`. Its body is stored as it arrives. */
export function createMessageBatch({ batches, idempotency }: BatchRouteDependencies): RequestHandler {
  const read = async (request: Request, response: Response): Promise<StoredRequests> => {
    requireJson(request);
    requirePlain(request);
    const key = keyOf(response);
    const body = new MessageBatchBody();
    try {
      const { id: blobId, sha256 } = await batches.storeRequests(key, body.lines(request));
      return { key, blobId, sha256, total: body.total };
    } catch (error) {
      await new Promise<void>((drained) => drainRequest(request, drained));
      throw error;
    }
  };
  const inputOf = ({ key, blobId, sha256 }: StoredRequests): FormInput => ({
    fields: {},
    textBytes: 0,
    digest: () => sha256,
    release: () => void batches.discardRequests(key, blobId).catch(() => undefined),
  });
  return withReadInput(idempotency, read, inputOf, async (request, response, { key, blobId, total }) => {
    const { eventId: id } = identityOf(response);
    const beta = betaOf(request);
    const given = { id, key, endpoint: '/v1/messages', beta, inputBlobId: blobId, total } as const;
    const created = await batches.createFromMessages(given);
    response.locals.span?.createdBatch(id);
    setStandardHeaders(response);
    sendJson(response, 200, JSON.stringify(toMessageBatch(created, originOf(request))));
  });
}

/** @throws SluiceError unsupported_content_encoding */
function requirePlain({ headers }: Request): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity')
    throw new SluiceError('unsupported_content_encoding', {
      values: { encoding: encoding.slice(0, 100), supported: 'it uncompressed' },
    });
}

/** Of batches themselves, which the requests do not have. */
const BATCH_BETA = /^message-batches-/;

function betaOf({ headers }: Request): string | null {
  const given = headers['anthropic-beta'];
  if (typeof given !== 'string') return null;
  const betas = given.split(',').map((beta) => beta.trim());
  const own = betas.filter((beta) => beta !== '' && !BATCH_BETA.test(beta));
  return own.length === 0 ? null : own.join(',').slice(0, 1_000);
}
