import { systemClock, type Clock, type Timer } from '../../../calendar/clock.ts';
import { SluiceError, toSluiceError } from '../../../errors/index.ts';
import type { OpenRequest } from '../../call.ts';
import type { KeyRecord } from '../../keys/key-directory.ts';
import type { Pipeline } from '../../pipeline.ts';
import type { ResponsesRequest } from '../../../protocols/responses/decode-request/schema.ts';
import type { ResponseEvent, ResponsesStreamEncoder } from '../../../protocols/responses/encode-stream.ts';
import { responseError, type ResponseObject } from '../../../protocols/responses/response-object.ts';
import { openResponse, responseEncoder, type ResponseCall } from './open-response.ts';
import type { ResponseNames } from './response-names.ts';
import type { ResponseSink } from './response-converter.ts';

/** Events are stored in batches at this interval. */
const STORE_INTERVAL_MS = 100;
/** A process that stops renewing is dead: its runs are reported as failed. */
const LEASE_MS = 60_000;
/** Also bounds how long a cancellation from another process takes. */
const RENEW_INTERVAL_MS = 2_000;
const RETRY_MS = 1_000;
/** For shutdown: a run that is not stored by then fails when its lease expires. */
const STOP_TIMEOUT_MS = 5_000;
/** For storing one run while the database is unavailable: about two minutes. */
const MAX_ATTEMPTS = 120;

/** A response to be stored, with its input. */
export interface NewResponse {
  readonly id: string;
  readonly key: Pick<KeyRecord, 'id' | 'accountId' | 'memberId'>;
  readonly model: string;
  /** The UUID of the response whose conversation it continues. */
  readonly previousId: string | null;
  readonly input: readonly object[];
  readonly response: ResponseObject;
  /** Nano-USD; null if not known. */
  readonly costNano: bigint | null;
}

/** Stores background runs. */
export interface RunStore {
  begin(given: NewResponse, leaseMs: number): Promise<void>;
  append(id: string, events: readonly ResponseEvent[]): Promise<void>;
  update(id: string, response: ResponseObject): Promise<void>;
  finish(id: string, response: ResponseObject, costNano: bigint | null): Promise<boolean>;
  /** @returns the runs to cancel */
  renew(ids: readonly string[], leaseMs: number): Promise<readonly string[]>;
}

export interface BackgroundRunsParts {
  readonly pipeline: Pipeline;
  readonly store: RunStore;
  readonly names: ResponseNames;
  /** Called after each change, with the response's id. */
  readonly onChange: (id: string) => void;
  readonly log: { warn(fields: object, message: string): void };
  /** The system clock if absent. */
  readonly clock?: Clock;
}

/** Responses that run without a connected client; their events are stored as they arrive. */
export class BackgroundRuns {
  readonly #parts: BackgroundRunsParts;
  readonly #clock: Clock;
  readonly #runs = new Map<string, Run>();
  #timer: Timer | null = null;
  #isRenewing = false;

  constructor(parts: BackgroundRunsParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
  }

  /**
   * @returns the queued response, once it is stored
   * @throws SluiceError what the pipeline rejects immediately | database_unavailable
   */
  async start(
    call: ResponseCall,
    request: ResponsesRequest,
    stored: Pick<NewResponse, 'input' | 'previousId'>,
  ): Promise<ResponseObject> {
    const { eventId: id, key } = call;
    const run = new Run(this.#parts, id, () => this.#runs.delete(id));
    const queued = run.open(call, { ...request, stream: true });
    try {
      const given = { id, key, model: request.model, ...stored, response: queued, costNano: null };
      await this.#parts.store.begin(given, LEASE_MS);
    } catch (error) {
      run.discard();
      throw error;
    }
    this.#runs.set(id, run);
    this.#timer ??= this.#clock.setInterval(() => void this.#renew(), RENEW_INTERVAL_MS).unref();
    run.startStoring();
    return queued;
  }

  /** Cancels a run of this process. */
  cancel(id: string): void {
    this.#runs.get(id)?.cancel();
  }

  /** After the pipeline has ended its requests: waits until their events are stored. */
  async stop(): Promise<void> {
    const stored = Promise.all([...this.#runs.values()].map((run) => run.lastStored()));
    let limit: Timer | undefined;
    await Promise.race([
      stored,
      new Promise<void>((resolve) => (limit = this.#clock.setTimeout(resolve, STOP_TIMEOUT_MS))),
    ]);
    limit?.cancel();
    this.#timer?.cancel();
    for (const run of this.#runs.values()) run.discard();
  }

  async #renew(): Promise<void> {
    if (this.#runs.size === 0 || this.#isRenewing) return;
    this.#isRenewing = true;
    try {
      for (const id of await this.#parts.store.renew([...this.#runs.keys()], LEASE_MS)) this.cancel(id);
    } catch (err) {
      this.#parts.log.warn({ err }, 'renewal of background response leases failed; retrying');
    } finally {
      this.#isRenewing = false;
    }
  }
}

/** One response, with the events that are not stored yet. */
class Run implements ResponseSink {
  readonly #parts: BackgroundRunsParts;
  readonly #clock: Clock;
  readonly #id: string;
  readonly #over: () => void;
  #encoder: ResponsesStreamEncoder | null = null;
  #openRequest: OpenRequest | null = null;
  #refusal: SluiceError | null = null;
  #events: ResponseEvent[] = [];
  #running: ResponseObject | null = null;
  #final: { readonly response: ResponseObject; readonly costNano: bigint | null } | null = null;
  #storing: Promise<void> | null = null;
  #wake: () => void = () => undefined;
  #isDiscarded = false;

  constructor(parts: BackgroundRunsParts, id: string, over: () => void) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
    this.#id = id;
    this.#over = over;
  }

  /** @throws SluiceError what the pipeline rejects immediately */
  open(call: ResponseCall, request: ResponsesRequest): ResponseObject {
    const encoder = responseEncoder(this.#parts.names, call, request);
    this.#encoder = encoder;
    const queued = encoder.queue();
    this.#events.push(...encoder.take());
    this.#openRequest = openResponse(this.#parts.pipeline, call, request, this, encoder);
    if (this.#refusal !== null) throw this.#refusal;
    return queued;
  }

  /** Starts to store events. */
  startStoring(): void {
    // It was rejected while it was stored.
    if (this.#refusal !== null) this.#fail(this.#refusal);
    this.#storing = this.#store();
  }

  lastStored(): Promise<void> {
    this.#wake();
    return this.#storing ?? Promise.resolve();
  }

  cancel(): void {
    if (this.#final !== null || this.#encoder === null) return;
    this.#openRequest?.onClientDisconnect();
    this.#end(this.#encoder.cancel(), this.#encoder.take(), null);
  }

  /** Ends a run whose response was not returned or cannot be stored any more. */
  discard(): void {
    this.#isDiscarded = true;
    this.#openRequest?.onClientDisconnect();
    this.#wake();
  }

  // ResponseSink

  head(): void {}

  send(events: readonly ResponseEvent[]): boolean {
    // It was cancelled in the meantime.
    if (this.#final !== null) return true;
    this.#events.push(...events);
    this.#running ??= this.#encoder?.running ?? null;
    return true;
  }

  end(response: ResponseObject, events: readonly ResponseEvent[], costNano: bigint | null): void {
    this.#end(response, events, costNano);
  }

  refuse(error: SluiceError): void {
    this.#refusal = error;
    if (this.#storing !== null) this.#fail(error);
  }

  abort(): void {
    this.refuse(new SluiceError('internal_error'));
  }

  #fail(error: SluiceError): void {
    if (this.#encoder !== null) this.#end(this.#encoder.fail(responseError(error)), this.#encoder.take(), null);
  }

  #end(response: ResponseObject, events: readonly ResponseEvent[], costNano: bigint | null): void {
    if (this.#final !== null) return;
    this.#events.push(...events);
    this.#final = { response, costNano };
    this.#wake();
  }

  async #store(): Promise<void> {
    let failures = 0;
    let isTold = false;
    while (!this.#isDiscarded) {
      const [events, final] = [this.#events, this.#final];
      this.#events = [];
      try {
        if (events.length > 0) await this.#parts.store.append(this.#id, events);
        if (!isTold && this.#running !== null && final === null) {
          await this.#parts.store.update(this.#id, this.#running);
          isTold = true;
        }
        if (final !== null) await this.#parts.store.finish(this.#id, final.response, final.costNano);
        if (events.length > 0 || final !== null) this.#parts.onChange(this.#id);
        if (final !== null) break;
        failures = 0;
      } catch (error) {
        // Events that are stored already are ignored.
        this.#events = [...events, ...this.#events];
        failures++;
        const fields = { err: toSluiceError(error), response: this.#id };
        if (failures === 1) this.#parts.log.warn(fields, 'storing a background response failed; retrying');
        if (failures > MAX_ATTEMPTS) {
          this.#parts.log.warn(fields, 'a background response is lost: the database was unavailable for too long');
          this.#openRequest?.onClientDisconnect();
          break;
        }
      }
      await this.#pause(failures > 0 ? RETRY_MS : STORE_INTERVAL_MS);
    }
    this.#over();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.setTimeout(resolve, ms);
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
      if (this.#final !== null && ms === STORE_INTERVAL_MS) this.#wake();
    });
  }
}
