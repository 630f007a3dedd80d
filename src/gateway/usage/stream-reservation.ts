import { toSluiceError, type SluiceError } from '../../errors/index.ts';
import type { Call, RequestDependencies } from '../call.ts';
import { tokenUsage, type StreamRelay } from '../capabilities/capability.ts';
import type { SpendBound } from '../keys/spend-bound.ts';
import { insufficientQuota } from '../limits/budget.ts';
import type { Reservation } from '../limits/limit-store.ts';
import { STREAM_STEP_TOKENS } from '../request-input.ts';
import type { Metering } from './metering.ts';

/** A request that can be terminated. */
interface Terminable {
  terminate(error: SluiceError): void;
}

/** Keeps a stream within the budgets of its key. */
export class StreamReservation {
  readonly #dependencies: RequestDependencies;
  readonly #call: Call;
  readonly #reservation: Reservation;
  /** Whether the reservation bounds the complete response. */
  readonly #isBounded: boolean;
  readonly #metering: Metering;
  #isExtending = false;

  constructor(
    dependencies: RequestDependencies,
    call: Call,
    reservation: Reservation,
    isBounded: boolean,
    metering: Metering,
  ) {
    this.#dependencies = dependencies;
    this.#call = call;
    this.#reservation = reservation;
    this.#isBounded = isBounded;
    this.#metering = metering;
  }

  /**
   * Extends the reservation of a stream without an output limit step by step while the budgets have room; then the
   * stream is terminated. Output so far is billed.
   */
  ensure(relay: StreamRelay | null, stream: Terminable): void {
    if (relay === null || this.#isExtending) return;
    const step = this.#metering.costOf(tokenUsage(0, STREAM_STEP_TOKENS));
    const { costNano: reserved } = this.#reservation;
    const cost = this.#metering.costOf(this.#metering.estimate(relay.estimatedOutputTokens));
    // Extends half a step ahead, or half of a smaller reservation. The reservation of a limited stream is its maximum
    // cost, unless its provider exceeds the limit: token estimates are rough.
    const ahead = (reserved < step ? reserved : step) / 2n;
    const needed = this.#isBounded ? cost - reserved * 2n : cost + ahead - reserved;
    if (needed <= 0n) return;
    const more = needed > step ? needed : step;
    const endIfFull = (full: SpendBound | null): void => {
      this.#isExtending = false;
      if (full !== null) stream.terminate(insufficientQuota(full, more, this.#dependencies.clock.now()));
    };
    const extending = this.#dependencies.limits.extend(this.#call.key, this.#reservation, more);
    if (!(extending instanceof Promise)) return endIfFull(extending);
    this.#isExtending = true;
    extending.then(endIfFull, (error: unknown) => stream.terminate(toSluiceError(error)));
  }
}
