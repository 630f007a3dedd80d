import type { ChatRequest } from '../../../../protocols/chat-completions/decode-request/schema.ts';
import { withMembers } from '../../../../providers/shared/http/request-body.ts';

/** A request and its body, as they are sent to a provider. */
interface SentChat {
  readonly request: ChatRequest;
  readonly body: Buffer;
  /** Members that have no effect. */
  readonly dropped: readonly string[];
}

const nothing: readonly string[] = [];

/**
 * A chat that asks its provider to store nothing: the response is stored here, or, with zero retention, nowhere. Its `metadata` is
 * that of the stored response; OpenAI refuses it without `store`.
 */
export function withoutStorage(
  request: ChatRequest,
  body: Buffer,
  { isStored, zeroRetention }: { readonly isStored: boolean; readonly zeroRetention: boolean },
): SentChat {
  if (request.store !== true || !(isStored || zeroRetention)) return { request, body, dropped: nothing };
  const { store: _store, metadata, ...rest } = request;
  const dropped = isStored ? nothing : metadata == null ? ['store'] : ['store', 'metadata'];
  return { request: rest, body: withMembers(body, { store: null, metadata: null }), dropped };
}
