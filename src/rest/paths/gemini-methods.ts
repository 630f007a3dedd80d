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

/** A method of a model, after `/v1`. */
export const v1Path = new RegExp(`^/models/.+:(?:${anyMethod})$`);

/** A path that names a method of a model, served or not. Tags of models, as in `llama:8b`, seldom begin with a letter. */
export const namedMethod = /^\/models\/.+:([A-Za-z]\w{0,63})$/;

/** Text with malformed percent-encoding is returned unchanged: it matches no model. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
