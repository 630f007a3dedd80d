/** Features that not every model has. */
export interface ModelTraits {
  /** Maximum output. Anthropic requires `max_tokens`: this is its value if the client sets none. */
  readonly maxTokens: number;
  /** `budget`: thinks up to a given number of tokens. `adaptive`: decides itself, guided by an effort. */
  readonly thinking: 'none' | 'budget' | 'adaptive';
  readonly canStopThinking: boolean;
  /** The effort `xhigh`, between `high` and `max`. */
  readonly supportsXhigh: boolean;
  /** `temperature`, `top_p` and `top_k`. */
  readonly supportsSampling: boolean;
  /** Whether `temperature` and `top_p` may be combined. */
  readonly supportsTemperatureWithTopP: boolean;
  /** Whether `tool_choice` may require a tool call, at least without thinking. */
  readonly canForceTools: boolean;
  /** `output_config.format`, and `strict` tools. */
  readonly structuredOutput: boolean;
  /** Rejects earlier thinking if anything before it has changed, unless the request lets such blocks be dropped. */
  readonly bindsThinking: boolean;
}
