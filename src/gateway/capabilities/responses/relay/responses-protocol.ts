import { toSluiceError } from '../../../../errors/index.ts';
import { isObject, membersOf } from '../../../../protocols/canonical/json-members.ts';
import type { NamedObject, ResponseEncoder } from '../../../../protocols/canonical/protocol.ts';
import { readModelName } from '../../../../protocols/canonical/validation/common-members.ts';
import { decodeChatRequest } from '../../../../protocols/chat-completions/decode-request.ts';
import type { ChatRequest } from '../../../../protocols/chat-completions/decode-request/schema.ts';
import { decodeResponsesRequest } from '../../../../protocols/responses/decode-request.ts';
import { generationRequest, outputForm } from '../../../../protocols/responses/decode-request/generation-request.ts';
import type { ResponsesRequest } from '../../../../protocols/responses/decode-request/schema.ts';
import { hostedToolsOf } from '../../../../protocols/responses/hosted-tools.ts';
import { isCommonRequest } from '../../../../protocols/responses/common-request.ts';
import type { ContentSeal } from '../../../../protocols/responses/encrypted-content/content-seal.ts';
import { ResponsesDecoder } from '../../../../protocols/responses/decode-stream.ts';
import { ResponsesStreamEncoder } from '../../../../protocols/responses/encode-stream.ts';
import { ResponsesObserver } from '../../../../protocols/responses/observe-usage.ts';
import { namedObjects, obtainedObjects } from '../../../../protocols/responses/provider-objects.ts';
import { responseError, type ResponseObject } from '../../../../protocols/responses/response-object.ts';
import { responseSettings } from '../../../../protocols/responses/response-settings.ts';
import { withMembers } from '../../../../providers/shared/http/request-body.ts';
import { tryParse } from '../../../json-text.ts';
import type { ClientProtocol } from '../../text/client-protocol.ts';
import type { CountedProtocol } from '../../text/provider-counts.ts';
import { chatOfTexts } from '../../text/texts-of.ts';
import { EncodedResponse } from './encoded-response.ts';
import type { AdaptedItems } from './adapted-items.ts';
import { responsesMembers, unknownResponse } from '../parse.ts';
import type { ResponseNames } from '../response-names.ts';

/** Stores a converted response. @param costNano nano-USD; null if it is not known */
export type KeepConverted = (request: ResponsesRequest, response: ResponseObject, costNano: bigint | null) => void;

export interface ResponsesProtocolOptions {
  readonly names: ResponseNames;
  /** The objects at the provider that the request names. */
  readonly named: readonly NamedObject[];
  /** Of the account. */
  readonly seal: ContentSeal;
  readonly keep: KeepConverted;
  /** Whether the provider is asked to store the response: not all say so in their responses. */
  readonly isStored: boolean;
  /** Items before those of the request; null for none. */
  readonly items: AdaptedItems | null;
  /** The UUID of a converted response. */
  readonly responseId: string;
}

/** OpenAI's Responses, for requests that a provider may receive as they are. One object per request. */
export function responsesProtocol(options: ResponsesProtocolOptions): ClientProtocol<ResponsesRequest | null> {
  const { names, seal, keep, isStored, items, responseId } = options;
  return {
    name: 'responses',
    signsInPlace: false,
    members: responsesMembers,
    modelName: readModelName,
    isStreaming: (value) => isObject(value) && value.stream === true,
    decode: (value) => decode(value, options),
    withMaxOutput: (body, tokens) => withMembers(body, { max_output_tokens: String(tokens) }),
    encoder({ created, settings: request }): ResponseEncoder {
      if (request === null) throw new Error('a request that cannot be converted has no converted response');
      const settings = responseSettings(names.response(responseId), created, request);
      const encoder = new ResponsesStreamEncoder(
        settings,
        (prefix, index) => names.item(prefix, responseId, index),
        outputForm(request, seal),
      );
      return new EncodedResponse(encoder, (response, costNano) => keep(request, response, costNano));
    },
    relayFailure(error) {
      const { code, message } = responseError(error);
      // The reference has no sequence number for an event that is not the provider's.
      return Buffer.from(
        `event: error\ndata: ${JSON.stringify({ type: 'error', code, message, param: null, sequence_number: 0 })}\n\n`,
      );
    },
    relayedBody: (body, _settings, connection) => items?.bodyFor(connection, body) ?? body,
    observer: () => new ResponsesObserver(),
    obtainedObjects: (response) =>
      isObject(response) ? obtainedObjects(response, isStored && response.store !== false, items === null) : [],
    decoder: (writer) => new ResponsesDecoder(writer),
  };
}

/** Its `POST /v1/responses/input_tokens`. */
export const countedResponses: CountedProtocol = {
  name: 'responses',
  members: responsesMembers,
  modelName: readModelName,
  namedObjects,
  tokensOf: ({ input_tokens: tokens }) => tokens,
};

/** What a chat cannot express is left to providers of the protocol: they validate it, too. */
function decode(
  value: unknown,
  { named, seal }: Pick<ResponsesProtocolOptions, 'named' | 'seal'>,
): ReturnType<ClientProtocol<ResponsesRequest | null>['decode']> {
  const about = { providerObjects: named, isCommon: isCommonRequest(value), hostedTools: hostedToolsOf(value) };
  try {
    const request = decodeResponsesRequest(value);
    const { body, dropped, names: memberNames } = generationRequest(request, { parse: tryParse, seal });
    return {
      chat: decodeChatRequest(body),
      dropped,
      memberNames,
      refusal: unknownResponse(request),
      ...about,
      settings: request,
    };
  } catch (thrown) {
    const refusal = toSluiceError(thrown);
    if (refusal.code === 'internal_error') throw refusal;
    return { chat: textsOfResponse(value), dropped: [], refusal, ...about, settings: null };
  }
}

function textsOfResponse(value: unknown): ChatRequest {
  const { instructions, input, tools, max_output_tokens: limit, safety_identifier: user } = membersOf(value);
  return chatOfTexts(readModelName(value), [instructions, input, tools], { limit, user });
}
