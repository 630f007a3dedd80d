import type { ResponsesRequest } from '../../../../protocols/responses/decode-request/schema.ts';
import { droppedMembers, openResponse, responseEncoder, type ResponseCall } from '../open-response.ts';
import { repeatableRequest } from './repeatable-request.ts';
import type { PreparedRun, RunContext, RunRequest } from './run-request.ts';
import type { RepeatableRequest } from './run-store.ts';

/** A request that is converted, whatever its provider. */
export class ConvertedRun implements RunRequest {
  readonly #request: ResponsesRequest;

  constructor(request: ResponsesRequest) {
    this.#request = request;
  }

  get model(): string {
    return this.#request.model;
  }

  get isStreamed(): boolean {
    return this.#request.stream === true;
  }

  get dropped(): readonly string[] {
    return droppedMembers(this.#request);
  }

  repeatable(call: ResponseCall): RepeatableRequest {
    return repeatableRequest(call, this.#request);
  }

  prepare({ pipeline, names, call, repeated }: RunContext): PreparedRun {
    const request: ResponsesRequest = { ...this.#request, stream: true };
    const events = responseEncoder(pipeline, names, call, request, repeated);
    return { events, open: (sink) => openResponse(pipeline, call, request, sink, events) };
  }
}
