import type { UploadedFile } from '../http/uploaded-file.ts';

/**
 * OpenAI's transcription and translation requests as a provider reads them: validated by the gateway before, and never
 * written to. Source: OpenAI's API document, CreateTranscriptionRequest, CreateTranslationRequest.
 */
export interface TranscriptionRequest {
  /** `translate`: into English. */
  readonly task: 'transcribe' | 'translate';
  readonly file: UploadedFile;
  /** Seconds, as read from the file. */
  readonly durationSeconds: number;
  /** ISO 639-1. */
  readonly language?: string | null | undefined;
  readonly prompt?: string | null | undefined;
  readonly response_format?: TranscriptionFormat | null | undefined;
  readonly temperature?: number | null | undefined;
  readonly timestamp_granularities?: readonly ('word' | 'segment')[] | null | undefined;
  readonly include?: readonly string[] | null | undefined;
  readonly stream?: boolean | null | undefined;
  /** Members that are not named here, such as `languages`, `keywords`, `chunking_strategy`. */
  readonly [member: string]: unknown;
}

/** The default is `json`. */
export type TranscriptionFormat = 'json' | 'text' | 'srt' | 'verbose_json' | 'vtt' | 'diarized_json';
