import { systemClock, type Clock, type Timer } from '../../../calendar/clock.ts';
import { SluiceError, toSluiceError } from '../../../errors/index.ts';
import type { KeyRecord } from '../../key-directory.ts';
import type { OpenExchange } from '../../open-exchanges.ts';
import type { Pipeline } from '../../pipeline.ts';
import { openResponse, responseWriter, type ResponseCall } from './open-response.ts';
import type { ResponseNames } from './response-names.ts';
import type { ResponseObject } from './response-object.ts';
import { reported, type ResponseSink } from './response-outlet.ts';
import type { ResponseEvent, ResponseWriter } from './response-writer.ts';
import type { ResponsesRequest } from './schema.ts';

/** Events are stored so often, many at once. */
const STORE_EVERY_MS = 100;
/** A process that renews no more is dead: its runs are told to have failed. */
const LEASE_MS = 60_000;
/** How soon a run hears that another process was asked to cancel it. */
const RENEW_MS = 2_000;
const TRY_AGAIN_MS = 1_000;
/** Of a server that stops: what is not stored by then is told to have failed when its lease is over. */
const STOP_MS = 5_000;
/** Of one run's storing, while the database is away: some two minutes. */
const MAX_ATTEMPTS = 120;

/** A response that is to be kept, and what it answers. */
export interface NewResponse {
  readonly id: string;
  readonly key: Pick<KeyRecord, 'id' | 'accountId' | 'memberId'>;
  readonly model: string;
  /** The UUID of the response whose conversation it continues. */
  readonly previousId: string | null;
  readonly input: readonly object[];
  readonly response: ResponseObject;
  /** Nano-USD; null where it is not known. */
  readonly costNano: bigint | null;
}

/** Where runs are kept. */
export interface RunStore {
  begin(given: NewResponse, leaseMs: number): Promise<void>;
  append(id: string, events: readonly ResponseEvent[]): Promise<void>;
  update(id: string, response: ResponseObject): Promise<void>;
  finish(id: string, response: ResponseObject, costNano: bigint | null): Promise<boolean>;
  /** @returns those that are to be cancelled */
  renew(ids: readonly string[], leaseMs: number): Promise<readonly string[]>;
}

export interface BackgroundRunsParts {
  readonly pipeline: Pipeline;
  readonly store: RunStore;
  readonly names: ResponseNames;
  /** Told of each change by the response's id. */
  readonly changed: (id: string) => void;
  readonly log: { warn(fields: object, message: string): void };
  /** The system's where absent. */
  readonly clock?: Clock;
}

/** Responses that run whether somebody waits for them or not; what they say is kept as it comes. */
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
   * @returns the response as it is queued, once it is stored
   * @throws SluiceError what the pipeline refuses at once | database_unavailable
   */
  async start(
    call: ResponseCall,
    request: ResponsesRequest,
    kept: Pick<NewResponse, 'input' | 'previousId'>,
  ): Promise<ResponseObject> {
    const { eventId: id, key } = call;
    const run = new Run(this.#parts, id, () => this.#runs.delete(id));
    const queued = run.open(call, { ...request, stream: true });
    try {
      const given = { id, key, model: request.model, ...kept, response: queued, costNano: null };
      await this.#parts.store.begin(given, LEASE_MS);
    } catch (error) {
      run.discard();
      throw error;
    }
    this.#runs.set(id, run);
    this.#timer ??= this.#clock.setInterval(() => void this.#renew(), RENEW_MS).unref();
    run.keep();
    return queued;
  }

  /** Ends a run of this process. */
  cancel(id: string): void {
    this.#runs.get(id)?.cancel();
  }

  /** Once the pipeline has ended its requests: waits until what they said is stored. */
  async stop(): Promise<void> {
    const stored = Promise.all([...this.#runs.values()].map((run) => run.lastStored()));
    let limit: Timer | undefined;
    await Promise.race([stored, new Promise<void>((resolve) => (limit = this.#clock.setTimeout(resolve, STOP_MS)))]);
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
      this.#parts.log.warn({ err }, 'the leases of background responses could not be renewed; it is tried again');
    } finally {
      this.#isRenewing = false;
    }
  }
}

/** One response: its events wait here until they are stored. */
class Run implements ResponseSink {
  readonly #parts: BackgroundRunsParts;
  readonly #clock: Clock;
  readonly #id: string;
  readonly #over: () => void;
  #writer: ResponseWriter | null = null;
  #exchange: OpenExchange | null = null;
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

  /** @throws SluiceError what is refused at once */
  open(call: ResponseCall, request: ResponsesRequest): ResponseObject {
    const writer = responseWriter(this.#parts.names, call, request);
    this.#writer = writer;
    const queued = writer.queue();
    this.#events.push(...writer.take());
    this.#exchange = openResponse(this.#parts.pipeline, call, request, this, writer);
    if (this.#refusal !== null) throw this.#refusal;
    return queued;
  }

  /** Stores what comes from now on. */
  keep(): void {
    // Refused while it was stored.
    if (this.#refusal !== null) this.#fail(this.#refusal);
    this.#storing = this.#store();
  }

  lastStored(): Promise<void> {
    this.#wake();
    return this.#storing ?? Promise.resolve();
  }

  cancel(): void {
    if (this.#final !== null || this.#writer === null) return;
    this.#exchange?.onClientDisconnect();
    this.#end(this.#writer.cancel(), this.#writer.take(), null);
  }

  /** Ends one that nobody was told of, or that can be stored no more. */
  discard(): void {
    this.#isDiscarded = true;
    this.#exchange?.onClientDisconnect();
    this.#wake();
  }

  // Of the sink

  head(): void {}

  send(events: readonly ResponseEvent[]): boolean {
    // It was cancelled as its end came.
    if (this.#final !== null) return true;
    this.#events.push(...events);
    this.#running ??= this.#writer?.running ?? null;
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
    if (this.#writer !== null) this.#end(this.#writer.fail(reported(error)), this.#writer.take(), null);
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
        if (events.length > 0 || final !== null) this.#parts.changed(this.#id);
        if (final !== null) break;
        failures = 0;
      } catch (error) {
        // Those that are stored already are passed over.
        this.#events = [...events, ...this.#events];
        failures++;
        const fields = { err: toSluiceError(error), response: this.#id };
        if (failures === 1)
          this.#parts.log.warn(fields, 'a background response could not be stored; it is tried again');
        if (failures > MAX_ATTEMPTS) {
          this.#parts.log.warn(fields, 'a background response is lost: the database was away for too long');
          this.#exchange?.onClientDisconnect();
          break;
        }
      }
      await this.#pause(failures > 0 ? TRY_AGAIN_MS : STORE_EVERY_MS);
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
      if (this.#final !== null && ms === STORE_EVERY_MS) this.#wake();
    });
  }
}
