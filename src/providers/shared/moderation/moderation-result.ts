/** OpenAI's categories of moderation. Source: OpenAI's API document, CreateModerationResponse. */
export const moderationCategories = [
  'harassment',
  'harassment/threatening',
  'hate',
  'hate/threatening',
  'illicit',
  'illicit/violent',
  'self-harm',
  'self-harm/intent',
  'self-harm/instructions',
  'sexual',
  'sexual/minors',
  'violence',
  'violence/graphic',
] as const;

export type ModerationCategory = (typeof moderationCategories)[number];

/** One result in OpenAI's form; a provider's own categories are added to OpenAI's. */
export interface ModerationResult {
  readonly flagged: boolean;
  readonly categories: Readonly<Record<string, boolean>>;
  /** From 0 to 1. */
  readonly category_scores: Readonly<Record<string, number>>;
  /** The input types that each category was checked in; empty if it was not checked. */
  readonly category_applied_input_types: Readonly<Record<string, readonly ('text' | 'image')[]>>;
}

/** OpenAI's document of results. */
export interface ModerationDocument {
  readonly id: string;
  readonly model: string;
  readonly results: readonly ModerationResult[];
  readonly usage?: unknown;
}
