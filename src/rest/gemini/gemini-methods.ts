import type { Request } from 'express';
import { unservedOfGoogle } from '../http/unserved-endpoints.ts';

/** Methods of a model. Source: ai.google.dev/api. */
export const geminiMethods = [
  'generateContent',
  'streamGenerateContent',
  'countTokens',
  'embedContent',
  'batchEmbedContents',
] as const;

export type GeminiMethod = (typeof geminiMethods)[number];

const anyMethod = geminiMethods.join('|');

/**
 * The model is the rest of the path up to the last colon: its name may contain slashes and colons. The AI SDK leaves out
 * `models/` before a name with a slash.
 */
export const methodPath = new RegExp(`^/(?:models/)?((?<=models/).+|[^/]+/.+):(${anyMethod})$`);

const v1Path = new RegExp(`^/models/.+:(?:${anyMethod})$`);

/** A path that names a method of a model, served or not. Tags of models, as in `llama:8b`, seldom begin with a letter. */
export const namedMethod = /^\/models\/.+:([A-Za-z]\w{0,63})$/;

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
