import type { z } from 'zod';
import { SluiceError } from '../../../errors/index.ts';
import type { SpeechFormat, SpeechRequest } from '../../../providers/shared/speech-request.ts';
import { mediaUsed, notSupported, type Capability } from '../capability.ts';
import { readModelName } from '../common-members.ts';
import { knownMembers } from '../known-members.ts';
import { compileValidator, type Validator } from '../validation.ts';
import { SpeechStream } from './speech-stream.ts';
import { audioTokens, estimatedSeconds, estimatedTextTokens } from './speech-usage.ts';
import { speechRequestSchema } from './schema.ts';

export { speechMediaTypes } from '../../../providers/shared/speech-request.ts';

const assertForm: Validator<z.input<typeof speechRequestSchema>> = compileValidator(speechRequestSchema);

/** What of a request its bill and its answer depend on. */
export interface SpeechFacts {
  readonly format: SpeechFormat;
  /** Whether the caller wants events, and not the bytes. */
  readonly events: boolean;
  /** Code points of the text. */
  readonly characters: number;
  /** Of the text and the instructions; estimated. */
  readonly textTokens: number;
  /** What it is likely to last. */
  readonly estimatedSeconds: number;
}

/** Text to speech: OpenAI's `POST /v1/audio/speech`. */
export const speech: Capability<SpeechRequest, SpeechFacts> = {
  name: 'speech',
  members: knownMembers(speechRequestSchema),
  modelName: readModelName,
  parse(value) {
    readModelName(value);
    assertForm(value);
    return value;
  },
  facts: ({ input, instructions, response_format, speed, stream_format }) => {
    const characters = codePoints(input);
    return {
      format: response_format ?? 'mp3',
      events: stream_format === 'sse',
      characters,
      textTokens: estimatedTextTokens(input) + estimatedTextTokens(instructions ?? ''),
      estimatedSeconds: estimatedSeconds(characters, speed ?? 1),
    };
  },
  streamed: () => true,
  wantsUsage: () => true,
  outputReserve: ({ input, speed }) => audioTokens(estimatedSeconds(codePoints(input), speed ?? 1)),
  // Audio is large, and comes in another form to each that asks.
  cacheable: () => null,
  endUser: () => null,
  send(connection, request, call, receiver) {
    const send = connection.services.speech ?? notSupported(connection, 'speech');
    return send({ ...call, request, stream: true }, receiver);
  },
  relayStream: (options) => SpeechStream.of(options),
  readAnswer(provider) {
    throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no stream of audio' });
  },
  /** A provider that counts characters has counted them when the text is there. */
  usageWithoutResponse: ({ characters }, inputTokens) =>
    mediaUsed([{ unit: 'character', quantity: characters }], inputTokens),
};

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
