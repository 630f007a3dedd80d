import type { FormField } from '../shared/http/form-body.ts';
import { TIMED } from '../shared/media/captions.ts';
import type { TranscriptionShape } from '../shared/openai-compatible/services/transcription.ts';

/**
 * Mistral always returns all results in one format of its own; timestamps only on request. Source: docs.mistral.ai/api,
 * Audio Transcriptions.
 */
export const mistralTranscription: TranscriptionShape = {
  supportedParams: ['language', 'temperature'],
  namesFormat: false,
  translates: false,
  times: 'segments',
  speakers: true,
  fields: ({ response_format: format, stream }) => {
    if (stream === true || !TIMED.has(format ?? 'json')) return [];
    const times: FormField = ['timestamp_granularities', 'segment'];
    return format === 'diarized_json' ? [times, ['diarize', 'true']] : [times];
  },
};
