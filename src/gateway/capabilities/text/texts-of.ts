import type { ChatRequest } from '../../../protocols/chat-completions/decode-request/schema.ts';
import { isObject } from '../../../protocols/canonical/json-members.ts';

const MAX_DEPTH = 32;
const URL_OF_IMAGE = /^(?:https?:|data:image\/)/i;
/** Members whose text is no content. */
const names: ReadonlySet<string> = new Set([
  'type',
  'role',
  'id',
  'call_id',
  'status',
  'encrypted_content',
  'signature',
]);

/** Longer identifiers are no chat's. */
const MAX_USER_LENGTH = 128;

/**
 * All texts and images of a request that has no equivalent as one message of the user: for moderation and estimates.
 * @param settings members of the request, of any type
 */
export function chatOfTexts(
  model: string,
  values: readonly unknown[],
  { limit, user }: { readonly limit: unknown; readonly user: unknown },
): ChatRequest {
  const { texts, images } = textsOf(values);
  const content = [
    ...texts.map((text) => ({ type: 'text' as const, text })),
    ...images.map((url) => ({ type: 'image_url' as const, image_url: { url } })),
  ];
  return {
    model,
    messages: [{ role: 'user', content }],
    ...(typeof limit === 'number' && Number.isSafeInteger(limit) && limit > 0 && { max_completion_tokens: limit }),
    ...(typeof user === 'string' && user.length <= MAX_USER_LENGTH && { safety_identifier: user }),
  };
}

interface Texts {
  readonly texts: string[];
  /** URLs. */
  readonly images: string[];
}

/** The texts and image URLs anywhere in a JSON value, in document order. */
export function textsOf(value: unknown): Texts {
  const found: Texts = { texts: [], images: [] };
  collect(value, 0, found);
  return found;
}

function collect(value: unknown, depth: number, found: Texts): void {
  if (depth > MAX_DEPTH) return;
  if (typeof value === 'string') {
    if (value !== '') (URL_OF_IMAGE.test(value) ? found.images : found.texts).push(value);
  } else if (Array.isArray(value)) for (const item of value) collect(item, depth + 1, found);
  else if (isObject(value))
    for (const [name, member] of Object.entries(value)) if (!names.has(name)) collect(member, depth + 1, found);
}
