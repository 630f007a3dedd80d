import type { ErrorCode, SluiceError } from '../../errors/index.ts';
import type { Call, RequestDependencies, OpenRequest } from '../call.ts';
import type { Capability } from '../capabilities/capability.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import type { CapabilityMetrics } from '../metrics/metrics.ts';
import { type RequestInput, release, valueOf } from '../request-input.ts';
import { DISCONNECTED, RequestSignal, Deadline } from './request-signal.ts';
import type { Outline } from '../capabilities/outline.ts';

/** The status recorded for a client disconnect: nginx's "client closed request". */
export const CLIENT_CLOSED_REQUEST = 499;

/** What all phases of one request share. Events from outside reach the current phase through it. */
export class RequestContext<Request, Summary> implements OpenRequest {
  slot = -1;
  readonly dependencies: RequestDependencies;
  readonly capability: Capability<Request, Summary>;
  readonly call: Call;
  readonly metrics: CapabilityMetrics;
  readonly body: RequestBody<Request>;
  readonly signal = new RequestSignal();
  readonly deadline: Deadline;
  /** The relay that a client which reads slowly may have paused. */
  relay: { resume(): void } | null = null;
  /** Whether the client has received the head of the response. The body is released then, so that no other target can take over. */
  isHeadSent = false;
  readonly #onEnd: (request: OpenRequest) => void;
  #isEnded = false;

  constructor(
    dependencies: RequestDependencies,
    capability: Capability<Request, Summary>,
    call: Call,
    input: RequestInput,
    onEnd: (request: OpenRequest) => void,
  ) {
    this.dependencies = dependencies;
    this.capability = capability;
    this.call = call;
    this.metrics = dependencies.metrics.capability(capability.name);
    this.body = new RequestBody(input);
    this.deadline = new Deadline(dependencies.clock);
    this.#onEnd = onEnd;
    this.metrics.openRequests++;
  }

  get key(): KeyRecord {
    return this.call.key;
  }

  onClientDisconnect(): void {
    this.signal.abort(DISCONNECTED);
  }

  onClientDrained(): void {
    this.relay?.resume();
  }

  terminate(error: SluiceError): void {
    this.signal.abort({ type: 'failed', error });
  }

  checkDeadline(now: number): void {
    this.deadline.check(now);
  }

  /** Counts the request and releases what it holds, before the last bytes are sent. Later calls have no effect. */
  end(httpStatus: number, code: ErrorCode | null): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.signal.close();
    this.deadline.clear();
    this.body.release();
    this.metrics.openRequests--;
    const durationMs = this.dependencies.clock.monotonic() - this.call.startedAt;
    this.metrics.requestEnded(httpStatus === CLIENT_CLOSED_REQUEST ? 0 : httpStatus, durationMs);
    if (code) this.dependencies.metrics.errorAnswered(code);
    this.#onEnd(this);
  }
}

export interface ParsedBody<Request> {
  readonly request: Request;
  /** The outline that the request was parsed from; null where it was parsed completely. */
  readonly outline: Outline | null;
}

/**
 * The body of a request: as received, and parsed while that is needed. Released once a response arrives: prompts are
 * long, and thousands of requests may be open.
 */
export class RequestBody<Request> {
  #input: RequestInput | null;
  #parsed: ParsedBody<Request> | null = null;

  constructor(input: RequestInput) {
    this.#input = input;
  }

  /** Null once released. */
  get input(): RequestInput | null {
    return this.#input;
  }

  replace(input: Buffer): void {
    this.#input = input;
    this.#parsed = null;
  }

  setParsed(parsed: ParsedBody<Request>): void {
    this.#parsed = parsed;
  }

  /** Takes the body for one attempt. A further attempt parses the input again. */
  take<Summary>(capability: Capability<Request, Summary>): ParsedBody<Request> & { readonly input: RequestInput } {
    if (this.#input === null) throw new Error('the body is released');
    const { request, outline } = this.#parsed ?? { request: capability.parse(valueOf(this.#input)), outline: null };
    this.#parsed = null;
    return { input: this.#input, request, outline };
  }

  release(): void {
    release(this.#input);
    this.#input = null;
    this.#parsed = null;
  }
}
