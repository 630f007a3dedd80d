import { systemClock, type Clock } from '../../../../calendar/clock.ts';
import { SluiceError, toSluiceError } from '../../../../errors/index.ts';
import type { OpenRequest } from '../../../call.ts';
import type { Pipeline } from '../../../pipeline.ts';
import type { ResponseEvent } from '../../../../protocols/responses/encode-stream.ts';
import { responseError, type ResponseObject } from '../../../../protocols/responses/response-object.ts';
import type { RepeatedResponse, ResponseCall } from '../open-response.ts';
import type { ResponseNames } from '../response-names.ts';
import type { ResponseSink } from '../response-converter.ts';
import { copyRecorder } from './copy-recorder.ts';
import { delayBeforeRepeat, type RepeatDelay } from './repeat-policy.ts';
import type { RunEvents, RunRequest } from './run-request.ts';
import type { RunLease, RunStore } from './run-store.ts';

/** Events are stored in batches at this interval. */
const STORE_INTERVAL_MS = 100;
const RETRY_MS = 1_000;
/** For storing one run while the database is unavailable: about two minutes. */
const MAX_ATTEMPTS = 120;

export interface BackgroundRunDependencies {
  readonly pipeline: Pipeline;
  readonly store: RunStore;
  readonly names: ResponseNames;
  /** Called after each change, with the response's id. */
  readonly onChange: (id: string) => void;
  readonly log: { warn(fields: object, message: string): void };
  /** The system clock if absent. */
  readonly clock?: Clock;
}

/** One response, with the events that are not stored yet. */
export class BackgroundRun implements ResponseSink {
  readonly #dependencies: BackgroundRunDependencies;
  readonly #clock: Clock;
  readonly #lease: RunLease;
  readonly #over: () => void;
  #recorded: RunEvents | null = null;
  #openRequest: OpenRequest | null = null;
  #storeCopy: () => Promise<void> = () => Promise.resolve();
  #refusal: SluiceError | null = null;
  #events: ResponseEvent[] = [];
  #running: ResponseObject | null = null;
  #final: { readonly response: ResponseObject; readonly costNano: bigint | null } | null = null;
  #isRepeated = false;
  /** Set where another process, or this one later, runs it again. */
  #release: RepeatDelay | null = null;
  #storing: Promise<void> | null = null;
  #wake: () => void = () => undefined;
  #isDiscarded = false;

  constructor(dependencies: BackgroundRunDependencies, lease: RunLease, over: () => void) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
    this.#lease = lease;
    this.#over = over;
  }

  /** @throws SluiceError what the pipeline rejects immediately */
  open(call: ResponseCall, request: RunRequest, repeated: RepeatedResponse | null = null): ResponseObject | null {
    const { pipeline, names, store } = this.#dependencies;
    const prepared = request.prepare({ pipeline, names, call, repeated });
    const { events } = prepared;
    this.#recorded = events;
    this.#isRepeated = repeated !== null;
    // Nothing may have been stored of an earlier run.
    const isFirst = repeated === null || repeated.nextSequence === 0;
    const queued = isFirst ? events.queue() : null;
    this.#events.push(...events.take());
    this.#storeCopy = copyRecorder(prepared, (copy) => store.addCopy(this.#lease.id, call.key.accountId, copy));
    this.#openRequest = prepared.open(this);
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
    if (this.#final !== null || this.#release !== null || this.#recorded === null) return;
    this.#openRequest?.onClientDisconnect();
    this.#end(this.#recorded.cancel(), this.#recorded.take(), null);
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
    this.#running ??= this.#recorded?.running ?? null;
    return true;
  }

  end(response: ResponseObject, events: readonly ResponseEvent[], costNano: bigint | null): void {
    this.#end(response, events, costNano);
  }

  runsAgain(error: SluiceError): boolean {
    // Before it is stored, the client is answered with the error.
    if (this.#storing === null || this.#final !== null) return false;
    this.#release = delayBeforeRepeat(error, this.#isRepeated);
    if (this.#release !== null) this.#wake();
    return this.#release !== null;
  }

  refuse(error: SluiceError): void {
    this.#refusal = error;
    if (this.#storing !== null) this.#fail(error);
  }

  abort(): void {
    this.refuse(new SluiceError('internal_error'));
  }

  #fail(error: SluiceError): void {
    if (this.#recorded !== null) this.#end(this.#recorded.fail(responseError(error)), this.#recorded.take(), null);
  }

  #end(response: ResponseObject, events: readonly ResponseEvent[], costNano: bigint | null): void {
    if (this.#final !== null) return;
    this.#events.push(...events);
    this.#final = { response, costNano };
    this.#wake();
  }

  async #store(): Promise<void> {
    let failures = 0;
    let isRunningStored = false;
    const { store, onChange, log } = this.#dependencies;
    const lease = this.#lease;
    while (!this.#isDiscarded) {
      const [events, final, release] = [this.#events, this.#final, this.#release];
      // Of the same moment: a state is stored with the event that reports it.
      const state: ResponseObject | null = isRunningStored || final !== null ? null : this.#running;
      this.#events = [];
      try {
        await this.#storeCopy();
        if (events.length > 0 || state !== null) await store.append(lease, events, state);
        isRunningStored ||= state !== null;
        if (final !== null) await store.finish(lease, final.response, final.costNano);
        else if (release !== null) await store.release(lease, release.delayMs, release.isCounted);
        if (events.length > 0 || final !== null) onChange(lease.id);
        if (final !== null || release !== null) break;
        failures = 0;
      } catch (error) {
        // Events that are stored already are ignored.
        this.#events = [...events, ...this.#events];
        failures++;
        const fields = { err: toSluiceError(error), response: lease.id };
        if (failures === 1) log.warn(fields, 'storing a background response failed; retrying');
        if (failures > MAX_ATTEMPTS) {
          log.warn(fields, 'a background response is run again: the database was unavailable for too long');
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
      if ((this.#final !== null || this.#release !== null) && ms === STORE_INTERVAL_MS) this.#wake();
    });
  }
}
