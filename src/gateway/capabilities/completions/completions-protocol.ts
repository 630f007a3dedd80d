import { isObject } from '../../../protocols/canonical/json-members.ts';
import { readModelName } from '../../../protocols/canonical/validation/common-members.ts';
import { decodeChatRequest } from '../../../protocols/chat-completions/decode-request.ts';
import { decodeUsage } from '../../../protocols/chat-completions/decode-usage.ts';
import { CompletionsDecoder } from '../../../protocols/completions/decode-document.ts';
import {
  chatOf,
  conversionRefusal,
  decodeCompletionRequest,
  maxOutputTokens,
  promptTexts,
  streamOptions,
} from '../../../protocols/completions/decode-request.ts';
import { completionFailure, CompletionsEncoder } from '../../../protocols/completions/encode-stream.ts';
import { namedObjects, objectRules } from '../../../protocols/completions/provider-objects.ts';
import { completionRequestSchema, type CompletionRequest } from '../../../protocols/completions/request-schema.ts';
import { withMembers } from '../../../providers/shared/http/request-body.ts';
import { knownMembers } from '../known-members.ts';
import type { ClientProtocol, DecodedText } from '../text/client-protocol.ts';
import { chatOfTexts } from '../text/texts-of.ts';

export { completionRequestSchema };

/** OpenAI's legacy completions: `POST /v1/completions`. */
export const completionsProtocol: ClientProtocol<CompletionRequest> = {
  name: 'completions',
  signsInPlace: false,
  members: knownMembers(completionRequestSchema, { logit_bias: null }, objectRules),
  modelName: readModelName,
  isStreaming: (value) => isObject(value) && value.stream === true,
  wantsUsage: (value) =>
    isObject(value) && isObject(value.stream_options) && value.stream_options.include_usage === true,
  decode,
  relayedBody(body, request) {
    const options = streamOptions(request);
    return options === null ? body : withMembers(body, { stream_options: options });
  },
  withMaxOutput: (body, tokens) => withMembers(body, { max_tokens: String(tokens) }),
  encoder: ({ eventId, created, model, settings: request }) =>
    new CompletionsEncoder({
      id: `cmpl-${eventId.replaceAll('-', '')}`,
      created,
      model,
      echo: request.echo === true ? (promptTexts(request) ?? []) : [],
      choices: request.n ?? 1,
      wantsUsage: request.stream_options?.include_usage === true,
    }),
  relayFailure: (error) => Buffer.from(completionFailure(error)),
  observer: null,
  decoder: (writer) => new CompletionsDecoder(writer, decodeUsage),
};

/** What a chat cannot express is left to providers that serve completions. */
function decode(value: unknown): DecodedText<CompletionRequest> {
  const request = decodeCompletionRequest(value);
  const refusal = conversionRefusal(request);
  const { model, user, prompt: texts } = request;
  const prompts = refusal === null ? (promptTexts(request) ?? []) : [];
  const [only, ...more] = prompts.map((prompt) => decodeChatRequest(chatOf(request, prompt)));
  const isOne = only !== undefined && more.length === 0;
  const chat = isOne ? only : chatOfTexts(model, [texts, request.suffix], { limit: maxOutputTokens(request), user });
  const each = isOne || only === undefined ? {} : { each: [only, ...more] };
  return { chat, ...each, dropped: [], refusal, providerObjects: namedObjects(value), settings: request };
}
