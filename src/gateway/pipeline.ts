import { systemClock, type Timer } from '../calendar/clock.ts';
import { SluiceError } from '../errors/index.ts';
import type { Call, RequestDependencies, PipelineDependencies, OpenRequest } from './call.ts';
import type { Telemetry } from './telemetry/request-span.ts';
import type { Capability } from './capabilities/capability.ts';
import { executeRequest } from './request/execute-request.ts';
import { rejectRequest } from './request/reject.ts';
import { RequestContext } from './request/request-context.ts';
import { isRevokedBy, type KeyRecord } from './keys/key-directory.ts';
import { expiredError, KeyExpiry } from './keys/key-expiry.ts';
import { CacheAffinity } from './routing/selection/cache-affinity.ts';
import { RejectedRequests } from './usage/rejections.ts';
import type { RequestInput } from './request-input.ts';

const SWEEP_MS = 500;
/** Longer than the upload of a body may take. */
const MAX_BODY_MS = 10 * 60_000;

/** The data plane: runs the requests of all capabilities and tracks the open ones. */
export class Pipeline {
  readonly dependencies: RequestDependencies;
  readonly #open = new OpenRequests<OpenRequest>();
  readonly #endedKeys = new Set<string>();
  readonly #expiry: KeyExpiry;
  readonly #sweeper: Timer;
  readonly #ended = (request: OpenRequest): void => {
    this.#open.delete(request);
    if (this.#waiting.size > 0) for (const waiting of this.#waiting) waiting.onEnded(request);
    if (this.#open.size === 0) this.#idle?.();
  };
  readonly #waiting = new Set<RequestsEnd>();
  #stopping = false;
  #idle: (() => void) | null = null;

  constructor(dependencies: PipelineDependencies) {
    const { clock = systemClock } = dependencies;
    this.#expiry = new KeyExpiry(dependencies.expiryOf);
    const rejections = new RejectedRequests(dependencies.journal, dependencies.metrics, clock);
    this.dependencies = {
      ...dependencies,
      clock,
      rejections,
      affinity: new CacheAffinity(clock),
      runNested: (capability, call, input) => this.#run(capability, call, input, false),
    };
    this.#sweeper = clock.setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** Resolves once all requests that are open now have ended. */
  async whenOpenRequestsEnd(): Promise<void> {
    if (this.#open.size === 0) return;
    const waiting = new RequestsEnd(this.#open.all());
    this.#waiting.add(waiting);
    await waiting.ended;
    this.#waiting.delete(waiting);
  }

  /** Runs one request to its end; every outcome, including errors, goes to its response. */
  open<Request, Summary>(capability: Capability<Request, Summary>, call: Call, input: RequestInput): OpenRequest {
    const logged = this.dependencies.content?.start(capability, call, input) ?? null;
    const shown = logged === null ? call : { ...call, response: logged.response, logged };
    return this.#run(capability, shown, input, this.#stopping);
  }

  #run<Request, Summary>(
    capability: Capability<Request, Summary>,
    call: Call,
    input: RequestInput,
    stopping: boolean,
  ): OpenRequest {
    const traced = this.dependencies.telemetry === undefined ? call : traceCall(this.dependencies.telemetry, call);
    const context = new RequestContext(this.dependencies, capability, traced, input, this.#ended);
    this.#open.add(context);
    const refusal = this.#refusalOf(call, stopping);
    if (refusal === null) void executeRequest(context);
    else rejectRequest(context, null, refusal);
    return context;
  }

  #refusalOf({ key, answered }: Call, stopping: boolean): SluiceError | null {
    if (stopping) return new SluiceError('shutting_down', { retryAfterMs: 1_000 });
    if (this.dependencies.journal.failure) return new SluiceError('metering_unavailable', { retryAfterMs: 1_000 });
    if (answered === undefined && this.#hasEnded(key))
      return new SluiceError('invalid_api_key', { values: { key: 'it was revoked' } });
    return null;
  }

  /** Terminates all requests of a revoked key or access token. @param id its UUID */
  endKey(id: string, error: SluiceError): void {
    // A request that is still uploading its body was authenticated already.
    this.#endedKeys.add(id);
    this.dependencies.clock.setTimeout(() => this.#endedKeys.delete(id), MAX_BODY_MS).unref();
    for (const request of this.#open.all()) if (isRevokedBy(request.key, id)) request.terminate(error);
  }

  /** Accepts requests of a key again. */
  serveKey(keyId: string): void {
    this.#endedKeys.delete(keyId);
  }

  /** Rejects new requests, waits `graceMs` for open ones, then terminates and settles them. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    if (this.#open.size > 0) {
      const idle = new Promise<void>((resolve) => (this.#idle = resolve));
      await Promise.race([
        idle,
        new Promise<void>((resolve) => this.dependencies.clock.setTimeout(resolve, graceMs).unref()),
      ]);
      for (const request of this.#open.all())
        request.terminate(new SluiceError('shutting_down', { retryAfterMs: 1_000 }));
      if (this.#open.size > 0) await idle;
    }
    this.#sweeper.cancel();
    this.dependencies.rejections.flushAll();
  }

  #hasEnded({ id, revokedWithIds }: KeyRecord): boolean {
    const ended = this.#endedKeys;
    return ended.size > 0 && (ended.has(id) || revokedWithIds?.some((each) => ended.has(each)) === true);
  }

  #sweep(): void {
    const { clock } = this.dependencies;
    const [now, at] = [clock.monotonic(), clock.now()];
    for (const request of this.#open.all())
      if (this.#expiry.hasExpired(request.key, at)) request.terminate(expiredError(request.key));
      else request.checkDeadline(now);
    this.dependencies.rejections.sweep();
  }
}

/** A request that is collected has no response here: it is traced with its answer. */
function traceCall(telemetry: Telemetry, call: Call): Call {
  if (call.collect !== undefined) return call;
  const span = call.span ?? telemetry.startInternal(call.batchId);
  span.begin(call);
  return call.span === undefined ? { ...call, span } : call;
}

/** The end of some requests. */
class RequestsEnd {
  readonly ended: Promise<void>;
  readonly #open: Set<OpenRequest>;
  readonly #resolve: () => void;

  constructor(open: readonly OpenRequest[]) {
    this.#open = new Set(open);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#resolve = resolve;
  }

  onEnded(request: OpenRequest): void {
    if (this.#open.delete(request) && this.#open.size === 0) this.#resolve();
  }
}

/** An object that stores its own slot. */
interface Slotted {
  slot: number;
}

/**
 * The open requests, each in a slot that is reused after its end. Not a Set, nor an array that shrinks: both leave
 * outgrown tables behind that still refer to old requests, and old garbage keeps young garbage alive. A third of all
 * allocations of requests survived because of it.
 */
class OpenRequests<Request extends Slotted> {
  readonly #slots: (Request | null)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#slots.length - this.#free.length;
  }

  add(request: Request): void {
    request.slot = this.#free.pop() ?? this.#slots.length;
    this.#slots[request.slot] = request;
  }

  delete(request: Request): void {
    this.#slots[request.slot] = null;
    this.#free.push(request.slot);
  }

  /** A snapshot: they may end during the iteration. */
  all(): readonly Request[] {
    return this.#slots.filter((request) => request !== null);
  }
}
