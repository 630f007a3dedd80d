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

/**
 * Whether a request to `/v1` is one of Google's API, whose SDKs use that version since 3.0: a method of a model, or models for a
 * client that names itself as they do. Source: `GOOGLE_AI_API_DEFAULT_VERSION` and `x-goog-api-client` of @google/genai 3.3.0.
 * @param path after `/v1`
 */
export function isGoogleRequest(path: string, headers: Readonly<Record<string, unknown>>): boolean {
  return v1Path.test(path) || (/^\/models(?:\/|$)/.test(path) && headers['x-goog-api-client'] !== undefined);
}
