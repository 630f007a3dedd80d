/**
 * OpenAI's speech request as a provider reads it: validated by the gateway before, and never written to.
 * Source: OpenAI's API document, CreateSpeechRequest.
 */
export interface SpeechRequest {
  readonly input: string;
  readonly voice: string | { readonly id: string };
  readonly instructions?: string | null | undefined;
  readonly response_format?: SpeechFormat | null | undefined;
  readonly speed?: number | null | undefined;
  readonly stream_format?: 'audio' | 'sse' | null | undefined;
  readonly [member: string]: unknown;
}

/** Defaults to `mp3`. */
export type SpeechFormat = 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm';

/** The media types of formats, as sent to clients. Source: RFC 7845, 9, for Opus in Ogg. */
export const speechMediaTypes: Readonly<Record<SpeechFormat, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg; codecs=opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};
