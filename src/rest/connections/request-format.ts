import type { Request } from 'express';
import { googleFormat } from '../gemini/google-format.ts';
import { isGoogleRequest } from '../gemini/is-google-request.ts';
import type { ClientFormat } from '../http/client-format.ts';
import { isAnthropicRequest } from '../messages/anthropic-client.ts';
import { anthropicFormat } from '../messages/anthropic-format.ts';

/** The format of a request that is refused before it is routed, as the router would set it; null for OpenAI's. */
export function formatOfRequest({
  method,
  url,
  headers,
}: Pick<Request, 'method' | 'url' | 'headers'>): ClientFormat | null {
  const [path = ''] = url.split('?', 1);
  if (/^\/(?:upload\/)?v1beta(?:\/|$)/.test(path) || path.startsWith('/upload/v1/')) return googleFormat;
  if (!path.startsWith('/v1/')) return null;
  const below = path.slice('/v1'.length);
  if (/^\/messages(?:\/|$)/.test(below) || isAnthropicRequest(below, headers)) return anthropicFormat;
  return isGoogleRequest({ method, path: below, headers }) ? googleFormat : null;
}
