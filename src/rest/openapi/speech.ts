import { z } from 'zod';
import { speechMediaTypes } from '../../gateway/capabilities/speech/speech.ts';
import { jsonBody } from './examples.ts';
import { failures } from './failures.ts';
import { events, routed, type Operation } from './parts.ts';

const bytes = { schema: { type: 'string', format: 'binary' } };

export const speech: Operation = {
  operationId: 'createSpeech',
  summary: 'Speech',
  description:
    'Speaks a text. The audio comes as it is made: its bytes, or events with base64 in them. Of bytes, `x-sluice-cost` stands in a trailer, and in the headers too where the model is priced by the characters of the text.',
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
  cost: z.number().describe('USD. Sluice’s own.'),
});

/** Source: OpenAI's API document, CreateSpeechResponseStreamEvent. */
export const speechEventSchema = z.discriminatedUnion('type', [
  z
    .looseObject({ type: z.literal('speech.audio.delta'), audio: z.string().describe('Base64.') })
    .meta({ id: 'SpeechAudioDeltaEvent' }),
  z.looseObject({ type: z.literal('speech.audio.done'), usage }).meta({ id: 'SpeechAudioDoneEvent' }),
]);
