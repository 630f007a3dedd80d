import type { GeminiEmbeddingsMethod } from '../contract.ts';
import { memberValue, withItems, withMembers } from '../shared/http/request-body.ts';
import { OPEN_BRACE } from '../shared/json/json-bytes.ts';

/**
 * Names the model where the body of an embeddings request does: Google refuses a name that is not the path's, and requests of a
 * batch without one. Nothing else is changed. Source: ai.google.dev/api/embeddings, "BatchEmbedContentsRequest".
 * @param resource as `models/gemini-embedding-001`
 */
export function withModelNames(body: Buffer, method: GeminiEmbeddingsMethod, resource: string): Buffer {
  if (method === 'batchEmbedContents')
    return withItems(body, 'requests', (item) => (item[0] === OPEN_BRACE ? named(item, resource) : item));
  return memberValue(body, 'model') === null ? body : named(body, resource);
}

const countedRequests = ['generateContentRequest', 'generate_content_request'] as const;

/** The same for the request whose tokens `countTokens` counts. Source: ai.google.dev/api/tokens. */
export function withCountedModel(body: Buffer, resource: string): Buffer {
  const name = countedRequests.find((each) => memberValue(body, each)?.[0] === OPEN_BRACE);
  const request = name === undefined ? null : memberValue(body, name);
  if (name === undefined || request === null) return body;
  const replacement = named(request, resource);
  return replacement === request ? body : withMembers(body, { [name]: replacement.toString() });
}

function named(request: Buffer, resource: string): Buffer {
  const model = JSON.stringify(resource);
  return memberValue(request, 'model')?.equals(Buffer.from(model)) ? request : withMembers(request, { model });
}
