import type { Pipeline } from '../../../pipeline.ts';
import { responseEncoder, type ResponseCall } from '../open-response.ts';
import { readResponsesRequest } from '../parse.ts';
import type { ResponseNames } from '../response-names.ts';
import type { CompletedResponse } from './socket-response.ts';
import type { TurnRequest } from './turn-request.ts';

/** The events of a warm-up, whose response has no output. It uses no provider and costs nothing. */
export function warmUp(
  pipeline: Pick<Pipeline, 'dependencies'>,
  names: ResponseNames,
  call: ResponseCall,
  { value: { model, instructions, metadata } }: TurnRequest,
): { readonly completed: CompletedResponse; readonly events: readonly string[] } {
  // A response does not repeat its input.
  const shown = { model, instructions, metadata, input: '-', store: false, stream: true };
  const request = readResponsesRequest(Buffer.from(JSON.stringify(shown)));
  const encoder = responseEncoder(pipeline, names, call, request);
  encoder.encode([{ type: 'finish', choice: 0, reason: 'stop' }]);
  encoder.end();
  return {
    completed: { id: names.response(call.eventId), output: [] },
    events: encoder.take().map(({ json }) => json),
  };
}
