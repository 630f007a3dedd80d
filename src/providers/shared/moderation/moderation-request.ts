/**
 * OpenAI's moderation request as a provider reads it: validated by the gateway before, and never written to.
 * Source: OpenAI's API document, CreateModerationRequest.
 */
export interface ModerationRequest {
  /** A text, texts, or the parts of one input. */
  readonly input: string | readonly string[] | readonly ModerationPart[];
  readonly [member: string]: unknown;
}

export type ModerationPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };
