import type { Request } from 'express';
import type { RejectedRequest } from '../../gateway/usage/rejected-request.ts';
import { decoded, methodPath } from './gemini-methods.ts';

type ProtocolName = NonNullable<RejectedRequest['protocol']>;

/** What the URL of a rejected request says for the usage log. */
export interface RejectedRoute {
  /** Null for a route that has none. */
  readonly capability: string | null;
  /** The client's protocol of text generation; null for others. */
  readonly protocol: ProtocolName | null;
  /** The model that the URL names, by Google's or Azure's spelling; null for none. */
  readonly model: string | null;
}

type Endpoint = Omit<RejectedRoute, 'model'>;

const text = (protocol: ProtocolName): Endpoint => ({ capability: 'chat', protocol });
const other = (capability: string | null): Endpoint => ({ capability, protocol: null });

/** Of requests of a WebSocket. */
export const responsesRoute: RejectedRoute = { ...text('responses'), model: null };

/** By the start of the path; the first that matches. Objects of an endpoint count as the endpoint. */
const endpoints: readonly (readonly [prefix: string, endpoint: Endpoint])[] = [
  ['/v1/chat/completions', text('chat-completions')],
  ['/v1/completions', text('completions')],
  ['/v1/responses', text('responses')],
  ['/v1/conversations', text('responses')],
  ['/v1/messages/batches', other('batches')],
  ['/v1/messages', text('messages')],
  ['/v1/embeddings', other('embeddings')],
  ['/v1/rerank', other('rerank')],
  ['/v2/rerank', other('rerank')],
  ['/v1/moderations', other('moderation')],
  ['/v1/images', other('images')],
  ['/v1/audio/speech', other('speech')],
  ['/v1/audio', other('transcription')],
  ['/v1/videos', other('video')],
  ['/v1/batches', other('batches')],
  ['/v1/files', other('files')],
  ['/v1/uploads', other('files')],
];
const googlePath = /^\/v1(?:beta)?(?=\/)/;

/** @param request whose URL is in OpenAI's spelling */
export function rejectedRouteOf(request: Pick<Request, 'url' | 'originalUrl' | 'res'>): RejectedRoute {
  // Requests that bypass the routing of Express have no `originalUrl`.
  const [path = ''] = (request.originalUrl ?? request.url).split('?', 1);
  const google = googlePath.test(path) ? methodPath.exec(path.replace(googlePath, '')) : null;
  if (google !== null) {
    const isEmbedding = google[2]?.toLowerCase().includes('embed') === true;
    return { ...(isEmbedding ? other('embeddings') : text('gemini')), model: decoded(google[1] ?? '') };
  }
  const found = endpoints.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`));
  return { ...(found?.[1] ?? other(null)), model: request.res?.locals.deployment ?? null };
}
