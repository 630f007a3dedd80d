/**
 * OpenAI's embeddings request as a provider reads it: validated by the gateway before, and never written to.
 * Source: OpenAI's API document, CreateEmbeddingRequest.
 */
export interface EmbeddingsRequest {
  /** A text, texts, the tokens of a text, or those of several. */
  readonly input: string | readonly string[] | readonly number[] | readonly (readonly number[])[];
  readonly encoding_format?: 'float' | 'base64' | null | undefined;
  readonly dimensions?: number | null | undefined;
  readonly user?: string | null | undefined;
  /** Not part of OpenAI's API: the purpose of the embeddings. See `inputTypeOf`. */
  readonly input_type?: string | null | undefined;
  readonly [member: string]: unknown;
}
