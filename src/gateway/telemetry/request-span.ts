import type { ErrorCode } from '../../errors/index.ts';
import type { ProtocolName } from '../../protocols/canonical/protocol.ts';
import type { LoggedCall } from '../content/content-log.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import type { Target } from '../routing/target.ts';
import type { Timing } from '../usage/request-times.ts';
import type { RequestTrace } from '../usage/request-trace.ts';
import type { RequestOutcome } from '../usage/usage-record.ts';

/** The headers of W3C Trace Context that a client sent. */
export interface IncomingTrace {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

/** Creates the spans of requests. Absent where telemetry is off: a request has no object for it then. */
export interface Telemetry {
  /** A request over HTTP. Its span ends once its response is closed. */
  startRequest(incoming: IncomingTrace): RequestSpan;
  /** A message on a WebSocket that `incoming` opened. Its span ends once `closed` is called. @param route as of `HttpExchange` */
  startMessage(incoming: IncomingTrace, route: string): RequestSpan;
  /**
   * A request of the pipeline that no client waits for. Its span ends with it.
   * @param batchId the batch that it is a line of, whose span it links to
   */
  startInternal(batchId?: string): RequestSpan;
  /** Work of several requests. */
  startOperation(operation: TracedOperation): OperationSpan;
  /** A batch that has ended. Its span has a trace of its own, which derives from its ID: any process links to it. */
  batchEnded(batch: EndedBatch): void;
}

export interface TracedOperation {
  readonly name: string;
  readonly key: KeyRecord;
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** The span of an operation, whose requests are its children. */
export interface OperationSpan {
  startChild(): RequestSpan;
  /** Later calls have no effect. */
  ended(): void;
}

export interface EndedBatch {
  /** A UUIDv7 of the time of its creation. */
  readonly id: string;
  readonly endpoint: string;
  readonly outcome: string;
  readonly total: number;
  readonly accountId: string;
  readonly apiKeyId: string;
}

/** A request as a client made it over HTTP. */
export interface HttpExchange {
  readonly method: string;
  /** A template such as `/v1/files/{id}`; null where the path is not known. */
  readonly route: string | null;
  /** Null where the client disconnected before the head of the response. */
  readonly status: number | null;
}

/** The call that a request is run for. */
export interface TracedCall {
  readonly requestId: string;
  readonly eventId: string;
  readonly key: KeyRecord;
  /** Absent where its content is not logged. */
  readonly logged?: Pick<LoggedCall, 'level'>;
}

/** What a span states of a `MeteredRequest`. */
export interface TracedRequest {
  readonly capability: string;
  readonly protocol: ProtocolName | null;
  readonly requestedModel: string;
  readonly routeName: string;
  readonly streamed: boolean;
  readonly trace: RequestTrace | null;
}

export interface SettledRequest {
  readonly admitted: TracedRequest;
  /** The last target. */
  readonly target: Target;
  readonly outcome: RequestOutcome;
  readonly timing: Timing;
  /** How long the last attempt took; null where it failed before, or was not sent. */
  readonly attemptMs: number | null;
  /** Members of an array of `UsageAttempt`, in JSON. */
  readonly attempts: string;
}

/** A span that is exported, in hexadecimal digits. */
export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** The trace and the metrics of one request. */
export interface RequestSpan {
  /** Whether spans are recorded. */
  readonly isSampled: boolean;
  /** Null where none are recorded. */
  readonly ids: SpanIds | null;
  /** For the provider: names and values in turn. Of the current attempt. */
  readonly outboundHeaders: readonly string[];
  /** The pipeline runs the request. */
  begin(call: TracedCall): void;
  startAttempt(): void;
  /** A request that is run as a part of this one, or after its response. Its span ends with it. */
  startChild(): RequestSpan;
  /** A request of the client that another span runs: a child of this one. */
  continuedBy(call: TracedCall): RequestSpan;
  /** The request created a batch. */
  createdBatch(id: string): void;
  /** Bytes of a text response, from which its id and model are read. Called only if it is sampled. */
  received(bytes: Buffer): void;
  /** The same of a response that is delivered as parts or as a result. */
  identified(id: string, model: string): void;
  settled(request: SettledRequest): void;
  /** The pipeline has ended the request. @param httpStatus null for one that is counted later */
  ended(httpStatus: number | null, code: ErrorCode | null): void;
  /** An error response outside the pipeline. */
  failed(code: ErrorCode): void;
  /** The response is closed. @param exchange null for a message of a WebSocket */
  closed(exchange: HttpExchange | null): void;
}
