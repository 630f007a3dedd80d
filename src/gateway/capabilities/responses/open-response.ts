import { unixSeconds } from '../../../calendar/clock.ts';
import type { Call, OpenRequest } from '../../call.ts';
import { checkForwardedUrls } from '../../policy/forwarded-urls.ts';
import { linkedPaths } from '../../policy/linked-media.ts';
import type { Pipeline } from '../../pipeline.ts';
import { generationRequest, outputForm } from '../../../protocols/responses/decode-request/generation-request.ts';
import type { ResponsesRequest } from '../../../protocols/responses/decode-request/schema.ts';
import { ResponsesStreamEncoder } from '../../../protocols/responses/encode-stream.ts';
import { responseSettings } from '../../../protocols/responses/response-settings.ts';
import { tryParse } from '../../json-text.ts';
import type { ResponseNames } from './response-names.ts';
import { ResponseConverter, type ResponseSink } from './response-converter.ts';
import { responses } from './responses.ts';

export { droppedMembers } from '../../../protocols/responses/decode-request/generation-request.ts';

/** A call whose response goes to a sink. */
export type ResponseCall = Omit<Call, 'response'>;

/** A response that is run again. */
export interface RepeatedResponse {
  /** Its UUID. */
  readonly id: string;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  readonly nextSequence: number;
}

/** Creates the encoder of a response, whose id derives from its request. */
export function responseEncoder(
  { dependencies: { seals } }: Pick<Pipeline, 'dependencies'>,
  names: ResponseNames,
  { eventId, key }: ResponseCall,
  request: ResponsesRequest,
  repeated: RepeatedResponse | null = null,
): ResponsesStreamEncoder {
  const id = repeated?.id ?? eventId;
  const settings = responseSettings(names.response(id), repeated?.createdAt ?? unixSeconds(), request);
  return new ResponsesStreamEncoder(
    settings,
    (prefix, index) => names.item(prefix, id, index),
    outputForm(request, seals.of(key.accountId)),
    repeated?.nextSequence,
  );
}

/**
 * Runs a response as a chat through the pipeline, with the same limits, metering and billing.
 * @throws SluiceError unsupported_value | invalid_value for items without an equivalent in a chat | outbound_refused |
 * invalid_encrypted_content
 */
export function openResponse(
  pipeline: Pipeline,
  call: ResponseCall,
  request: ResponsesRequest,
  sink: ResponseSink,
  encoder: ResponsesStreamEncoder,
): OpenRequest {
  // Checked here, where errors can name the members of the client's request, not of the chat.
  const { forwarded, seals } = pipeline.dependencies;
  const isLinking = forwarded !== undefined && checkForwardedUrls(forwarded, request);
  const reader = { parse: tryParse, seal: seals.of(call.key.accountId) };
  const { body, ...lost } = generationRequest(request, reader);
  const response = new ResponseConverter(sink, encoder, request.stream === true, lost);
  const converted = { ...call, response, ...(isLinking && { mediaPaths: linkedPaths(request) }) };
  return pipeline.open(responses, converted, Buffer.from(JSON.stringify(body)));
}
