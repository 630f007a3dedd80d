import type { Send } from '../contract.ts';
import type { EmbeddingsRequest } from '../shared/embeddings-request.ts';
import { overwriteMember } from '../shared/request-body.ts';
import type { ServicePlace } from './services.ts';

const none: readonly string[] = [];

/** `POST /embeddings`, the caller's body as it is. */
export function sendEmbeddings({ upstream, path }: ServicePlace): Send<EmbeddingsRequest> {
  return ({ body, model }, receiver) => {
    if (body === null) throw new Error('embeddings are asked for in JSON');
    const named = overwriteMember(body, 'model', Buffer.from(JSON.stringify(model)));
    upstream.post(path('/embeddings', model), named, receiver);
    return none;
  };
}
