/** What a model takes that not every model takes. */
export interface ModelTraits {
  /** The most tokens that it generates: Anthropic demands a `max_tokens`, and this is the one where the caller gives none. */
  readonly maxTokens: number;
  /** `budget`: thinks where it is given a number of tokens. `adaptive`: decides by itself, guided by an effort. */
  readonly thinking: 'none' | 'budget' | 'adaptive';
  readonly canStopThinking: boolean;
  /** Effort `xhigh`, between `high` and `max`. */
  readonly supportsXhigh: boolean;
  /** `temperature`, `top_p` and `top_k`. */
  readonly supportsSampling: boolean;
  /** Whether `temperature` and `top_p` may come together. */
  readonly supportsTemperatureWithTopP: boolean;
  /** Whether a tool may be demanded, at least while it does not think. */
  readonly canForceTools: boolean;
  /** `output_config.format`, and `strict` tools. */
  readonly structuredOutput: boolean;
  /** Refuses earlier thinking where something before it has changed, unless told to leave such thinking out. */
  readonly bindsThinking: boolean;
}
