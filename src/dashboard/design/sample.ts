export interface Sample {
  /** Where a reader can choose one: `Anthropic SDK`. */
  readonly sdk?: string;
  readonly language: string;
  readonly code: string;
}
