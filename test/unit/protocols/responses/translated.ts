import { decodeChatRequest } from '../../../../src/protocols/chat-completions/decode-request.ts';
import type { EncodedRequest } from '../../../../src/protocols/canonical/encode-options.ts';
import type { ParameterPolicy } from '../../../../src/protocols/canonical/parameter-policy.ts';
import { encodeResponsesRequest } from '../../../../src/protocols/responses/encode-request.ts';
import { responsesOptions } from '../../../../src/providers/shared/openai-responses/responses-chat.ts';
import { openAiResponses } from '../../../../src/providers/shared/openai-responses/responses-shape.ts';

/** The request to OpenAI for a request that the gateway accepts, and the dropped parameters. */
export function translated(
  given: Readonly<Record<string, unknown>>,
  parameters: ParameterPolicy,
  model = 'gpt-5-pro',
): EncodedRequest {
  const request = decodeChatRequest({ model, messages: [{ role: 'user', content: 'Hello' }], ...given });
  const call = { model, stream: request.stream === true, parameters };
  return encodeResponsesRequest(request, responsesOptions('openai', openAiResponses, call));
}
