import { systemClock, type Clock, type Timer } from '../../../../calendar/clock.ts';
import type { ResponseObject } from '../../../../protocols/responses/response-object.ts';
import type { RepeatedResponse, ResponseCall } from '../open-response.ts';
import { BackgroundRun, type BackgroundRunDependencies } from './background-run.ts';
import type { RunRequest } from './run-request.ts';
import type { NewResponse, RunLease } from './run-store.ts';

/** A process that stops renewing is dead: its runs are repeated by another one. */
export const LEASE_MS = 60_000;
/** Also bounds how long a cancellation from another process takes. */
const RENEW_INTERVAL_MS = 2_000;
/** For shutdown: a run that is not stored by then is repeated when its lease expires. */
const STOP_TIMEOUT_MS = 5_000;
const FIRST_TOKEN = 1;

interface HeldRun {
  readonly lease: RunLease;
  readonly run: BackgroundRun;
}

/** Responses that run without a connected client; their events are stored as they arrive. */
export class BackgroundRuns {
  readonly #dependencies: BackgroundRunDependencies;
  readonly #clock: Clock;
  readonly #runs = new Map<string, HeldRun>();
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
    given: ResponseCall,
    request: RunRequest,
    stored: Pick<NewResponse, 'input' | 'previousId'>,
  ): Promise<ResponseObject> {
    const { eventId: id, key, span } = given;
    // The span of the client's request ends with its response, before the run does.
    const call = span === undefined ? given : { ...given, span: span.continuedBy(given) };
    const lease = { id, token: FIRST_TOKEN };
    const run = new BackgroundRun(this.#dependencies, lease, () => this.#forget(lease));
    const queued = run.open(call, request);
    if (queued === null) throw new Error('a new response has no events yet');
    try {
      const created = { id, key, model: request.model, ...stored, response: queued, costNano: null };
      await this.#dependencies.store.begin(created, request.repeatable(call), LEASE_MS);
    } catch (error) {
      run.discard();
      throw error;
    }
    this.#keep(lease, run);
    return queued;
  }

  /**
   * Runs an abandoned response again.
   * @returns a promise that resolves when the run has ended and is stored
   * @throws SluiceError what the pipeline rejects immediately
   */
  repeat(lease: RunLease, call: ResponseCall, request: RunRequest, repeated: RepeatedResponse): Promise<void> {
    const over = Promise.withResolvers<void>();
    const run = new BackgroundRun(this.#dependencies, lease, () => {
      this.#forget(lease);
      over.resolve();
    });
    run.open(call, request, repeated);
    this.#keep(lease, run);
    return over.promise;
  }

  /** Of the responses that this process runs. */
  get ids(): readonly string[] {
    return [...this.#runs.keys()];
  }

  /** Cancels a run of this process. */
  cancel(id: string): void {
    this.#runs.get(id)?.run.cancel();
  }

  /** After the pipeline has ended its requests: waits until their events are stored. */
  async stop(): Promise<void> {
    const stored = Promise.all([...this.#runs.values()].map(({ run }) => run.lastStored()));
    let limit: Timer | undefined;
    await Promise.race([
      stored,
      new Promise<void>((resolve) => (limit = this.#clock.setTimeout(resolve, STOP_TIMEOUT_MS))),
    ]);
    limit?.cancel();
    this.#timer?.cancel();
    for (const { run } of this.#runs.values()) run.discard();
  }

  #keep(lease: RunLease, run: BackgroundRun): void {
    this.#runs.set(lease.id, { lease, run });
    this.#timer ??= this.#clock.setInterval(() => void this.#renew(), RENEW_INTERVAL_MS).unref();
    run.startStoring();
  }

  /** A process that has lost a lease may have got a new one for the same response. */
  #forget({ id, token }: RunLease): void {
    if (this.#runs.get(id)?.lease.token === token) this.#runs.delete(id);
  }

  async #renew(): Promise<void> {
    if (this.#runs.size === 0 || this.#isRenewing) return;
    this.#isRenewing = true;
    try {
      const leases = [...this.#runs.values()].map(({ lease }) => lease);
      for (const id of await this.#dependencies.store.renew(leases, LEASE_MS)) this.cancel(id);
    } catch (err) {
      this.#dependencies.log.warn({ err }, 'renewal of background response leases failed; retrying');
    } finally {
      this.#isRenewing = false;
    }
  }
}
