/** How the amount of thinking is set. */
export type Thinking =
  /** By a level, since Gemini 3. Thinking cannot be turned off. */
  | { readonly by: 'level'; readonly min: 'minimal' | 'low'; readonly max: 'high' | 'xhigh' }
  /** By a number of tokens: Gemini 2.5. `min` 0: thinking can be turned off. */
  | { readonly by: 'budget'; readonly min: number; readonly max: number }
  | null;

/** Differences between Google's models. */
export interface ModelTraits {
  readonly thinking: Thinking;
  /** Rejects a function call of the current turn without its thought signature. */
  readonly requiresSignatures: boolean;
  /** `presencePenalty` and `frequencyPenalty`. */
  readonly supportsPenalties: boolean;
  /** Has no system instruction: instructions become the first message. */
  readonly instructedByUser: boolean;
  /** Whether Google's search can be combined with functions. */
  readonly mixesTools: boolean;
  /** Whether each search is billed; else each response with any. */
  readonly billsEachSearch: boolean;
}

/** 2.5 for `gemini-2.5-flash`, infinite for a name without a version; 0 for a model that is not a Gemini. */
export function geminiVersion(name: string): number {
  if (!name.startsWith('gemini-')) return 0;
  if (/^gemini-(pro|pro-vision|ultra)$/.test(name)) return 1;
  const version = /^gemini-(\d+(?:\.\d+)?)(?:-|$)/.exec(name)?.[1];
  return version === undefined ? Number.POSITIVE_INFINITY : Number(version);
}

/** Whether each web search of a model is billed; else each response with any. Source: ai.google.dev, "Grounding with Google Search", Pricing. */
export function isEachSearchBilled(model: string): boolean {
  return geminiVersion(model.toLowerCase().replace(/^.*\//, '')) >= 3;
}
