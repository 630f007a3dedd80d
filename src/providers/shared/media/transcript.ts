/** In seconds from the beginning. */
export interface TranscriptWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
  readonly speaker?: string | undefined;
}

export interface TranscriptSegment {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly speaker?: string | undefined;
}

/** A provider's transcript, independent of the response format. */
export interface Transcript {
  readonly text: string;
  /** As reported by the provider: `en`, `eng`, `english`. */
  readonly language?: string | null | undefined;
  /** Empty if the provider reports none. */
  readonly segments?: readonly TranscriptSegment[] | undefined;
  readonly words?: readonly TranscriptWord[] | undefined;
  /** OpenAI's `usage`, if the provider reports tokens. */
  readonly usage?: Readonly<Record<string, unknown>> | undefined;
}
