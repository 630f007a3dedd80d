import type { OpenRequest } from '../../../call.ts';
import type { Pipeline } from '../../../pipeline.ts';
import type { ResponseEvent } from '../../../../protocols/responses/encode-stream.ts';
import type { ResponseError, ResponseObject } from '../../../../protocols/responses/response-object.ts';
import type { RepeatedResponse, ResponseCall } from '../open-response.ts';
import type { ProviderCopy } from '../provider-copies.ts';
import type { ResponseNames } from '../response-names.ts';
import type { ResponseSink } from '../response-converter.ts';
import type { RepeatableRequest } from './run-store.ts';

/** The events of a run that are not stored yet, and the response that they build. */
export interface RunEvents {
  /** The response in progress; null before it starts. */
  readonly running: ResponseObject | null;
  /** Emits the events of a queued response. */
  queue(): ResponseObject;
  /** Emits the events of a failure. */
  fail(error: ResponseError): ResponseObject;
  /** Emits the end of a cancelled response. */
  cancel(): ResponseObject;
  /** Removes and returns the events emitted so far. */
  take(): readonly ResponseEvent[];
}

/** A run before it is opened. */
export interface PreparedRun {
  readonly events: RunEvents;
  /** @throws SluiceError what the pipeline rejects immediately */
  open(sink: ResponseSink): OpenRequest;
  /** What a provider stores of the run so far; null for nothing, absent where no provider does. */
  copy?(): ProviderCopy | null;
}

export interface RunContext {
  readonly pipeline: Pipeline;
  readonly names: ResponseNames;
  readonly call: ResponseCall;
  /** Null for a first run. */
  readonly repeated: RepeatedResponse | null;
}

/** A request that runs in the background: relayed to a provider of its protocol, or converted. */
export interface RunRequest {
  readonly model: string;
  /** Whether the client follows the events. */
  readonly isStreamed: boolean;
  /** Members that are not sent to any provider. */
  readonly dropped: readonly string[];
  /** What is stored of it, so that it can run again. */
  repeatable(call: ResponseCall): RepeatableRequest;
  prepare(context: RunContext): PreparedRun;
}
