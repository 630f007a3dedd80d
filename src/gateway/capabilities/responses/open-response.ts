import { unixSeconds } from '../../../calendar/clock.ts';
import type { Call, OpenRequest } from '../../call.ts';
import { checkForwardedUrls } from '../../policy/forwarded-urls.ts';
import type { Pipeline } from '../../pipeline.ts';
import { chat } from '../chat/chat.ts';
import { chatBody } from './chat-body.ts';
import type { ResponseNames } from './response-names.ts';
import { responseSettings } from './response-object.ts';
import { ResponseConverter, type ResponseSink } from './response-converter.ts';
import { ResponseWriter } from './response-writer.ts';
import type { ResponsesRequest } from './schema.ts';

/** A call whose response goes to a sink. */
export type ResponseCall = Omit<Call, 'response'>;

/** Creates the writer of a response, whose id derives from its request. */
export function responseWriter(
  names: ResponseNames,
  { eventId }: ResponseCall,
  request: ResponsesRequest,
): ResponseWriter {
  const createdAt = unixSeconds();
  return new ResponseWriter(responseSettings(names.response(eventId), createdAt, request), names, eventId);
}

/**
 * Runs a response as a chat through the pipeline, with the same limits, metering and billing.
 * @throws SluiceError unsupported_value | invalid_value for items without an equivalent in a chat | outbound_refused
 */
export function openResponse(
  pipeline: Pipeline,
  call: ResponseCall,
  request: ResponsesRequest,
  sink: ResponseSink,
  writer: ResponseWriter,
): OpenRequest {
  // Checked here, where errors can name the members of the client's request, not of the chat.
  if (pipeline.parts.forwarded) checkForwardedUrls(pipeline.parts.forwarded, request);
  const { body, dropped } = chatBody(request);
  const response = new ResponseConverter(sink, writer, request.stream === true, dropped);
  return pipeline.open(chat, { ...call, response }, Buffer.from(JSON.stringify(body)));
}
