import { z } from 'zod';
import { toSluiceError } from '../../../errors/index.ts';
import { isObject } from '../../../protocols/canonical/json-members.ts';
import { decodeGeminiRequest } from '../../../protocols/gemini/decode-request.ts';
import { geminiRequestSchema } from '../../../protocols/gemini/decode-request/schema.ts';
import { GeminiDecoder } from '../../../protocols/gemini/decode-stream.ts';
import { GeminiEncoder, type GeminiFraming } from '../../../protocols/gemini/encode-stream.ts';
import { renderGeminiError } from '../../../protocols/gemini/errors.ts';
import { namedObjects, objectRules } from '../../../protocols/gemini/provider-objects.ts';
import { GeminiObserver } from '../../../protocols/gemini/observe-usage.ts';
import { knownMembers } from '../known-members.ts';
import type { ClientProtocol, DecodedText } from '../text/client-protocol.ts';
import { decodeConverted } from '../text/decode-converted.ts';
import type { CountedProtocol } from '../text/provider-counts.ts';
import { chatOfTexts } from '../text/texts-of.ts';

export { geminiRequestSchema, renderGeminiError };

/** None: Google accepts two spellings of each. */
const members = knownMembers(z.looseObject({}), {}, objectRules);
/** The path names the model: chats are validated with any name. */
const ANY_MODEL = 'model';

/** Google's Gemini API: `generateContent` and `streamGenerateContent`. */
export function geminiProtocol(framing: GeminiFraming): ClientProtocol<null> {
  return {
    name: 'gemini',
    signsInPlace: true,
    members,
    // Both are in the path.
    modelName: () => '',
    isStreaming: () => false,
    decode,
    encoder: ({ eventId, model }) => new GeminiEncoder({ id: eventId.replaceAll('-', ''), model }, framing),
    relayFailure: (error) => Buffer.from(`data: ${renderGeminiError(error)}\n\n`),
    observer: () => new GeminiObserver(),
    decoder: (writer) => new GeminiDecoder(writer, null),
  };
}

/** Its `countTokens`. Source: ai.google.dev/api/tokens. */
export const countedGemini: CountedProtocol = {
  name: 'gemini',
  members,
  modelName: () => '',
  namedObjects,
  tokensOf: ({ totalTokens }) => totalTokens,
};

/** What a chat cannot express is left to providers of the protocol, which validate it, too; what is no object is no request. */
function decode(value: unknown): DecodedText<null> {
  const providerObjects = namedObjects(value);
  try {
    const { chat, ...rest } = decodeGeminiRequest(value);
    return { ...rest, ...decodeConverted({ ...chat, model: ANY_MODEL }), providerObjects, settings: null };
  } catch (thrown) {
    const refusal = toSluiceError(thrown);
    if (refusal.code === 'internal_error' || !isObject(value)) throw refusal;
    const chat = chatOfTexts(ANY_MODEL, [value], { limit: null, user: null });
    return { chat, dropped: [], refusal, providerObjects, settings: null };
  }
}
