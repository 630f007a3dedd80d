import { z } from 'zod';
import { speechMediaTypes } from '../../../gateway/capabilities/speech/speech.ts';
import { jsonBody } from '../examples.ts';
import { failures } from '../failures.ts';
import { events, routed, type Operation } from '../parts.ts';

const bytes = { schema: { type: 'string', format: 'binary' } };

export const speech: Operation = {
  operationId: 'createSpeech',
  summary: 'Create speech',
  description:
    'Generates audio from text. The audio is streamed while it is generated, as bytes or as events with base64. For bytes, `x-sluice-cost` is a trailer, and also a header if the model is priced per character.',
  tags: ['Audio'],
  requestBody: { required: true, content: jsonBody('SpeechRequest') },
  responses: {
    '200': {
      description: 'The audio.',
      headers: routed,
      content: {
        ...Object.fromEntries(Object.values(speechMediaTypes).map((type) => [type, bytes])),
        ...events('SpeechEvent'),
      },
    },
    ...failures,
  },
};

const usage = z.looseObject({
  input_tokens: z.int(),
  output_tokens: z.int(),
  total_tokens: z.int(),
  cost: z.number().describe('Cost in USD. A Sluice extension.'),
});

/** Source: OpenAI's API document, CreateSpeechResponseStreamEvent. */
export const speechEventSchema = z.discriminatedUnion('type', [
  z
    .looseObject({ type: z.literal('speech.audio.delta'), audio: z.string().describe('Base64.') })
    .meta({ id: 'SpeechAudioDeltaEvent' }),
  z.looseObject({ type: z.literal('speech.audio.done'), usage }).meta({ id: 'SpeechAudioDoneEvent' }),
]);
