import { z } from 'zod';
import { modelNameSchema } from '../common-members.ts';

const MAX_CHARACTERS = 4_096;

const voiceName = z.string().min(1).max(256);

/**
 * The body of `POST /v1/audio/speech`. Source: OpenAI's API document, CreateSpeechRequest. Members that are not named here
 * are for providers that have more to choose from.
 */
export const speechRequestSchema = z
  .looseObject({
    model: modelNameSchema,
    input: z.string().min(1).max(MAX_CHARACTERS).describe('The text to be spoken.'),
    voice: z
      .union([voiceName, z.strictObject({ id: voiceName })])
      .describe('A voice of the provider’s, by its name, or as an object with its `id`.'),
    instructions: z
      .string()
      .max(MAX_CHARACTERS)
      .nullish()
      .describe('How it is to be spoken, where the model can be told.'),
    response_format: z
      .enum(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'])
      .nullish()
      .describe('`mp3` where absent. `opus` is in Ogg, `pcm` bare samples: 24 kHz, 16 bits, little-endian, mono.'),
    speed: z.number().min(0.25).max(4).nullish().describe('1 where absent.'),
    stream_format: z
      .enum(['audio', 'sse'])
      .nullish()
      .describe('`audio` where absent: the bytes as they come. `sse`: events with base64 in them.'),
  })
  .meta({ id: 'SpeechRequest' });
