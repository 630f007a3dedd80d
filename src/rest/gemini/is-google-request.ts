import type { Request } from 'express';
import { unservedOfGoogle } from '../http/unserved-endpoints.ts';
import { namedMethod, v1Path } from '../paths/gemini-methods.ts';

/**
 * Whether a request to `/v1` is one of Google's API, whose SDKs use that version since 3.0: a method of a model, or for a client
 * that names itself as they do, models and what is not served. Source: `GOOGLE_AI_API_DEFAULT_VERSION` and
 * `x-goog-api-client` of @google/genai 3.3.0.
 * @param request its path is the one after `/v1`
 */
export function isGoogleRequest({ method, path, headers }: Pick<Request, 'method' | 'path' | 'headers'>): boolean {
  if (v1Path.test(path) || (method === 'POST' && namedMethod.test(path))) return true;
  if (headers['x-goog-api-client'] === undefined) return false;
  return /^\/models(?:\/|$)/.test(path) || unservedOfGoogle.some((unserved) => unserved.path.test(path));
}
