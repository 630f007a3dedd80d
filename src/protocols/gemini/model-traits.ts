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
