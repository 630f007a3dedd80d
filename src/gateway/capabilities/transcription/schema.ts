import { z } from 'zod';
import { modelNameSchema } from '../../../protocols/canonical/validation/common-members.ts';

/** For a prompt: whisper-1 reads 224 tokens, gpt-transcribe more. */
const MAX_PROMPT_LENGTH = 32_000;
const MAX_NAME_LENGTH = 256;
const MAX_NAMES = 1_000;

const fileSchema = z
  .unknown()
  .describe('The recording: WAV, MP3, FLAC, OGG, M4A, WebM and others, up to 25 MB.')
  .meta({ type: 'string', format: 'binary' });

const shortText = z.string().max(MAX_NAME_LENGTH);
const prompt = z
  .string()
  .max(MAX_PROMPT_LENGTH)
  .optional()
  .describe('Names and words that occur, or the preceding text.');
const temperature = z.number().min(0).max(1).optional();

/** The form of `POST /v1/audio/transcriptions`. Source: OpenAI's API document, CreateTranscriptionRequest. */
export const transcriptionSchema = z
  .strictObject({
    file: fileSchema,
    model: modelNameSchema,
    language: shortText.optional().describe('ISO 639-1: `en`.'),
    languages: z.array(shortText).min(1).max(MAX_NAMES).optional(),
    keywords: z.array(shortText).max(MAX_NAMES).optional(),
    prompt,
    response_format: z
      .enum(['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'])
      .optional()
      .describe('Default: `json`.'),
    temperature,
    timestamp_granularities: z
      .array(z.enum(['word', 'segment']))
      .max(2)
      .optional()
      .describe('Requires `verbose_json`.'),
    include: z
      .array(z.enum(['logprobs']))
      .max(8)
      .optional(),
    stream: z.boolean().optional().describe('Ignored for `whisper-1`.'),
    chunking_strategy: z
      .union([
        z.enum(['auto']),
        z.strictObject({
          type: z.enum(['server_vad']),
          prefix_padding_ms: z.int().min(0).optional(),
          silence_duration_ms: z.int().min(0).optional(),
          threshold: z.number().min(0).max(1).optional(),
        }),
      ])
      .optional(),
    known_speaker_names: z.array(shortText).max(4).optional(),
    known_speaker_references: z.array(z.string()).max(4).optional().describe('As data URLs.'),
  })
  .meta({ id: 'TranscriptionRequest' });

/** The form of `POST /v1/audio/translations`. Source: OpenAI's API document, CreateTranslationRequest. */
export const translationSchema = z
  .strictObject({
    file: fileSchema,
    model: modelNameSchema,
    prompt,
    response_format: z.enum(['json', 'text', 'srt', 'verbose_json', 'vtt']).optional().describe('Default: `json`.'),
    temperature,
  })
  .meta({ id: 'TranslationRequest' });
