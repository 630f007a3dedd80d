import { systemClock, type Clock, type Timer } from '../../../../calendar/clock.ts';
import type { ResponsesRequest } from '../../../../protocols/responses/decode-request/schema.ts';
import type { ResponseObject } from '../../../../protocols/responses/response-object.ts';
import type { ResponseCall } from '../open-response.ts';
import { BackgroundRun, type BackgroundRunDependencies } from './background-run.ts';
import type { NewResponse } from './run-store.ts';

/** A process that stops renewing is dead: its runs are reported as failed. */
const LEASE_MS = 60_000;
/** Also bounds how long a cancellation from another process takes. */
const RENEW_INTERVAL_MS = 2_000;
/** For shutdown: a run that is not stored by then fails when its lease expires. */
const STOP_TIMEOUT_MS = 5_000;

/** Responses that run without a connected client; their events are stored as they arrive. */
export class BackgroundRuns {
  readonly #dependencies: BackgroundRunDependencies;
  readonly #clock: Clock;
  readonly #runs = new Map<string, BackgroundRun>();
  #timer: Timer | null = null;
  #isRenewing = false;

  constructor(dependencies: BackgroundRunDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
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
    const run = new BackgroundRun(this.#dependencies, id, () => this.#runs.delete(id));
    const queued = run.open(call, { ...request, stream: true });
    try {
      const created = { id, key, model: request.model, ...stored, response: queued, costNano: null };
      await this.#dependencies.store.begin(created, LEASE_MS);
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
      for (const id of await this.#dependencies.store.renew([...this.#runs.keys()], LEASE_MS)) this.cancel(id);
    } catch (err) {
      this.#dependencies.log.warn({ err }, 'renewal of background response leases failed; retrying');
    } finally {
      this.#isRenewing = false;
    }
  }
}
