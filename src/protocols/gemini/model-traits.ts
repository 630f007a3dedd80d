/** How a model is told how long to think. */
export type Thinking =
  /** By a level, from Gemini 3 on. Thinking cannot be turned off. */
  | { readonly by: 'level'; readonly min: 'minimal' | 'low'; readonly max: 'high' | 'xhigh' }
  /** By a number of tokens, as Gemini 2.5 has it. `least` 0: it can be turned off. */
  | { readonly by: 'budget'; readonly min: number; readonly max: number }
  | null;

/** In what Google's models differ on the wire. */
export interface ModelTraits {
  readonly thinking: Thinking;
  /** It refuses a function call of the current turn that comes back without its thought's signature. */
  readonly demandsSignatures: boolean;
  /** `presencePenalty` and `frequencyPenalty`. */
  readonly supportsPenalties: boolean;
  /** It knows no system instruction: that goes in front of the conversation. */
  readonly instructedByUser: boolean;
  /** Google's search may be used together with functions. */
  readonly mixesTools: boolean;
  /** Each of its searches is paid for; of an older model, each answer that rests on any. */
  readonly sellsEachSearch: boolean;
}
