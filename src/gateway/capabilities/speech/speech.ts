import type { SpeechSummary } from './speech-summary.ts';
import type { z } from 'zod';
import { SluiceError } from '../../../errors/index.ts';
import type { SpeechRequest } from '../../../providers/shared/media/speech-request.ts';
import { mediaUsage, notSupported, type Capability } from '../capability.ts';
import { readModelName } from '../../../protocols/canonical/validation/common-members.ts';
import { knownMembers } from '../known-members.ts';
import { compileValidator, type Validator } from '../../../protocols/canonical/validation/compile-validator.ts';
import { SpeechStream } from './speech-stream.ts';
import { audioTokens, estimatedSeconds, estimatedTextTokens } from './speech-usage.ts';
import { speechRequestSchema } from './schema.ts';

export { speechMediaTypes } from '../../../providers/shared/media/speech-request.ts';

const assertSchema: Validator<z.input<typeof speechRequestSchema>> = compileValidator(speechRequestSchema);

/** Text to speech: OpenAI's `POST /v1/audio/speech`. */
export const speech: Capability<SpeechRequest, SpeechSummary> = {
  name: 'speech',
  members: knownMembers(speechRequestSchema),
  modelName: readModelName,
  parse(value) {
    readModelName(value);
    assertSchema(value);
    return value;
  },
  summarize: ({ input, instructions, response_format, speed, stream_format }) => {
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
  // Audio is large, and the format varies by request.
  cacheable: () => null,
  endUser: () => null,
  send(connection, request, call, receiver) {
    const send = connection.services.speech ?? notSupported(connection, 'speech');
    return send({ ...call, request, stream: true }, receiver);
  },
  relayStream: (options) => SpeechStream.of(options),
  parseResponse(provider) {
    throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no stream of audio' });
  },
  /** Providers that bill characters count them when the text arrives. */
  usageWithoutResponse: ({ characters }, inputTokens) =>
    mediaUsage([{ unit: 'character', quantity: characters }], inputTokens),
};

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
