import { z } from 'zod';
import { failures } from '../failures.ts';
import { events, ref, routed, type Operation } from '../parts.ts';

const usage = z
  .looseObject({
    type: z.enum(['tokens', 'duration']),
    seconds: z.number().optional(),
    input_tokens: z.int().optional(),
    output_tokens: z.int().optional(),
    total_tokens: z.int().optional(),
    cost: z.number().optional().describe('Cost in USD. A Sluice extension in the last event of a stream.'),
  })
  .optional();

const time = z.number().describe('Seconds.');

/** Source: OpenAI's API document, CreateTranscriptionResponseJson, ...VerboseJson and ...DiarizedJson. */
export const transcriptionAnswerSchema = z
  .looseObject({
    text: z.string(),
    task: z.string().optional(),
    language: z.string().optional().describe('For example `english`. Present with `verbose_json`.'),
    duration: time.optional(),
    segments: z
      .array(z.looseObject({ start: time, end: time, text: z.string(), speaker: z.string().optional() }))
      .optional(),
    words: z.array(z.looseObject({ word: z.string(), start: time, end: time })).optional(),
    usage,
  })
  .meta({ id: 'Transcription' });

/** Source: OpenAI's API document, CreateTranscriptionResponseStreamEvent. */
export const transcriptionEventSchema = z
  .discriminatedUnion('type', [
    z
      .looseObject({ type: z.literal('transcript.text.delta'), delta: z.string() })
      .meta({ id: 'TranscriptTextDeltaEvent' }),
    z
      .looseObject({
        type: z.literal('transcript.text.segment'),
        id: z.string(),
        start: time,
        end: time,
        text: z.string(),
        speaker: z.string(),
      })
      .meta({ id: 'TranscriptTextSegmentEvent' }),
    z
      .looseObject({ type: z.literal('transcript.text.done'), text: z.string(), usage })
      .meta({ id: 'TranscriptTextDoneEvent' }),
  ])
  .meta({ id: 'TranscriptionEvent' });

const tags = ['Audio'];
const form = (name: 'TranscriptionRequest' | 'TranslationRequest') => ({
  required: true,
  content: { 'multipart/form-data': { schema: ref(name) } },
});
const content = {
  'application/json': { schema: ref('Transcription') },
  'text/plain': { schema: { type: 'string', description: 'With the response format `text`, `srt` or `vtt`.' } },
};

export const transcriptions: Operation = {
  operationId: 'createTranscription',
  summary: 'Create a transcription',
  description: 'Transcribes an audio file. Billed per second of audio; the duration is read from the file.',
  tags,
  requestBody: form('TranscriptionRequest'),
  responses: {
    '200': {
      description: 'The transcript, or with `stream: true` its events.',
      headers: routed,
      content: { ...content, ...events('TranscriptionEvent') },
    },
    ...failures,
  },
};

export const translations: Operation = {
  operationId: 'createTranslation',
  summary: 'Create a translation',
  description: 'Transcribes an audio file in English.',
  tags,
  requestBody: form('TranslationRequest'),
  responses: { '200': { description: 'The transcript in English.', headers: routed, content }, ...failures },
};
