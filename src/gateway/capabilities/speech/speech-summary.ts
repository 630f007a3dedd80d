import type { SpeechFormat } from '../../../providers/shared/media/speech-request.ts';

/** The parts of a request that its cost and response depend on. */
export interface SpeechSummary {
  readonly format: SpeechFormat;
  /** Whether the client requested events instead of raw audio. */
  readonly events: boolean;
  /** Code points of the text. */
  readonly characters: number;
  /** Estimate for the text and the instructions. */
  readonly textTokens: number;
  /** Estimated duration. */
  readonly estimatedSeconds: number;
}
