import type { GeminiEmbeddingsMethod } from '../contract.ts';
import { memberValue, withItems, withMembers } from '../shared/http/request-body.ts';
import { OPEN_BRACE } from '../shared/json/json-bytes.ts';

/**
 * Names the model where the body of an embeddings request does: Google refuses a name that is not the path's, and requests of a
 * batch without one. Nothing else is changed. Source: ai.google.dev/api/embeddings, "BatchEmbedContentsRequest".
 * @param resource as `models/gemini-embedding-001`
 */
export function withModelNames(body: Buffer, method: GeminiEmbeddingsMethod, resource: string): Buffer {
  const model = JSON.stringify(resource);
  const named = (request: Buffer): Buffer =>
    memberValue(request, 'model')?.equals(Buffer.from(model)) ? request : withMembers(request, { model });
  if (method === 'batchEmbedContents')
    return withItems(body, 'requests', (item) => (item[0] === OPEN_BRACE ? named(item) : item));
  return memberValue(body, 'model') === null ? body : named(body);
}
