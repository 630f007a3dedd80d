import type { TranscriptionFormat } from '../../../providers/shared/media/transcription-request.ts';

/** The parts of a request that its cost and response depend on. */
export interface TranscriptionSummary {
  readonly format: TranscriptionFormat;
  /** Duration of the file. */
  readonly seconds: number;
}
