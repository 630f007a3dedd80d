import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';

/** A step of the limit script, with the account and budgets that it counts for. */
export interface Step {
  readonly keys: readonly string[];
  readonly accountId: string;
  readonly budgetIds: readonly string[];
  readonly step: object;
}

interface Waiting extends Step {
  /** Of the clock's `monotonic`. */
  readonly since: number;
}

/** After this time the reservation of a request has expired, so the step is useless. The script remembers steps far longer. */
const MAX_AGE_MS = 60_000;
const MAX_WAITING = 100_000;
/** Few enough for Redis to answer within the timeout of a command. */
const BATCH_SIZE = 500;
const [MIN_PAUSE_MS, MAX_PAUSE_MS] = [100, 5_000];

/** Retries background steps that Redis did not accept, until they are accepted or too old. */
export class WaitingSteps {
  readonly #run: (step: Step) => Promise<unknown>;
  readonly #onGivenUp: (steps: readonly Step[]) => void;
  readonly #clock: Clock;
  #waiting: Waiting[] = [];
  #pauseMs = MIN_PAUSE_MS;
  #timer: Timer | null = null;
  #sending = false;
  #stopped = false;

  /** @param onGivenUp receives steps that are no longer retried */
  constructor(
    run: (step: Step) => Promise<unknown>,
    onGivenUp: (steps: readonly Step[]) => void,
    clock: Clock = systemClock,
  ) {
    this.#run = run;
    this.#onGivenUp = onGivenUp;
    this.#clock = clock;
  }

  add(step: Step): void {
    this.#waiting.push({ ...step, since: this.#clock.monotonic() });
    if (this.#waiting.length > MAX_WAITING) this.#giveUp();
    else this.#sendLater();
  }

  /** Sends the waiting steps, once Redis is available again. */
  async send(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    this.#pauseMs = (await this.#sendAll()) ? MIN_PAUSE_MS : Math.min(MAX_PAUSE_MS, this.#pauseMs * 2);
    this.#sending = false;
    this.#sendLater();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #sendLater(): void {
    if (this.#timer !== null || this.#sending || this.#stopped || this.#waiting.length === 0) return;
    this.#timer = this.#clock
      .setTimeout(() => {
        this.#timer = null;
        void this.send();
      }, this.#pauseMs)
      .unref();
  }

  /** @returns whether Redis accepted all of them */
  async #sendAll(): Promise<boolean> {
    for (let [oldest] = this.#waiting; oldest !== undefined && !this.#stopped; [oldest] = this.#waiting) {
      if (this.#clock.monotonic() - oldest.since > MAX_AGE_MS) this.#giveUp();
      const some = this.#waiting.splice(0, BATCH_SIZE);
      const refused = await Promise.all(some.map((each) => this.#isRefused(each)));
      const left = some.filter((_each, at) => refused[at]);
      this.#waiting = [...left, ...this.#waiting];
      if (left.length > 0) return false;
    }
    return true;
  }

  async #isRefused(step: Step): Promise<boolean> {
    return this.#run(step).then(
      () => false,
      () => true,
    );
  }

  /** Gives up all steps: their charges are recounted from the usage log. */
  #giveUp(): void {
    this.#onGivenUp(this.#waiting.splice(0));
  }
}
