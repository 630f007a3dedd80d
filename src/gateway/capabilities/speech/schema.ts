import { z } from 'zod';
import { modelNameSchema } from '../../../protocols/canonical/validation/common-members.ts';

const MAX_CHARACTERS = 4_096;

const voiceName = z.string().min(1).max(256);

/**
 * The body of `POST /v1/audio/speech`. Source: OpenAI's API document, CreateSpeechRequest. Unknown members are for
 * providers with more options.
 */
export const speechRequestSchema = z
  .looseObject({
    model: modelNameSchema,
    input: z.string().min(1).max(MAX_CHARACTERS).describe('The text to speak.'),
    voice: z
      .union([voiceName, z.strictObject({ id: voiceName })])
      .describe('A voice of the provider, by name, or as an object with its `id`.'),
    instructions: z
      .string()
      .max(MAX_CHARACTERS)
      .nullish()
      .describe('How to speak the text, if the model supports instructions.'),
    response_format: z
      .enum(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'])
      .nullish()
      .describe('Default: `mp3`. `opus` is in Ogg; `pcm` is raw samples: 24 kHz, 16 bits, little-endian, mono.'),
    speed: z.number().min(0.25).max(4).nullish().describe('Default: 1.'),
    stream_format: z
      .enum(['audio', 'sse'])
      .nullish()
      .describe('Default: `audio`, raw bytes. `sse`: server-sent events with base64.'),
  })
  .meta({ id: 'SpeechRequest' });
