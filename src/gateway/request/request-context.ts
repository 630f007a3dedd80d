import type { ErrorCode, SluiceError } from '../../errors/index.ts';
import type { Call, RequestDependencies, OpenRequest } from '../call.ts';
import type { Capability } from '../capabilities/capability.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import type { CapabilityMetrics } from '../metrics/metrics.ts';
import type { RequestInput } from '../request-input.ts';
import { Deadline } from './deadline.ts';
import { RequestBody } from './request-body.ts';
import { DISCONNECTED, RequestSignal } from './request-signal.ts';

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

  /**
   * Counts the request and releases what it holds, before the last bytes are sent. Later calls have no effect.
   * @param httpStatus null for one that is counted later
   */
  end(httpStatus: number | null, code: ErrorCode | null): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.signal.close();
    this.deadline.clear();
    this.body.release();
    this.metrics.openRequests--;
    const { clock } = this.dependencies;
    const durationMs = clock.monotonic() - this.call.startedAt;
    if (httpStatus !== null) {
      this.metrics.requestEnded(httpStatus === CLIENT_CLOSED_REQUEST ? 0 : httpStatus, durationMs);
      const ids = this.call.span?.ids;
      if (ids) this.metrics.sampledEnded(ids, durationMs, clock.now());
    }
    if (code) this.dependencies.metrics.errorAnswered(code);
    this.call.logged?.settled(code);
    this.call.span?.ended(httpStatus, code);
    this.#onEnd(this);
  }
}
