import type { LimitBound, Reservation } from '../limit-store.ts';
import { setBounded } from '../../routing/set-bounded.ts';
import type { WireLease } from './operations.ts';
import type { TurnBatch } from './turn-batch.ts';
import { decodeLimit, encodeLimit } from './wire-form.ts';

const MAX_RECALLED = 1_000;

/** What this worker may still use of a lease. */
class Lease {
  readonly id: number;
  readonly bounds: readonly LimitBound[];
  requests: number;
  tokens: number;
  slots: number;
  isEnded = false;
  /** Since `returnIdle` was last called. */
  isUsed = true;

  constructor([id, requests, tokens]: WireLease, bounds: readonly LimitBound[]) {
    this.id = id;
    this.bounds = bounds;
    this.requests = requests;
    this.tokens = decodeLimit(tokens);
    this.slots = requests;
  }
}

/** Admits requests of bounds that the supervisor has lent this worker a part of. */
export class LeasedRequests {
  readonly #batch: TurnBatch;
  readonly #onReturn: (lease: Readonly<Lease>) => void;
  readonly #leases = new Map<readonly LimitBound[], Lease>();
  readonly #byId = new Map<number, Lease>();
  /** Leases that were recalled before they arrived. */
  readonly #recalled = new Map<number, true>();

  /** @param onReturn called with what a lease has left, before it is returned */
  constructor(batch: TurnBatch, onReturn: (lease: Readonly<Lease>) => void) {
    this.#batch = batch;
    this.#onReturn = onReturn;
  }

  /** @returns whether the request is admitted; else the supervisor decides */
  admit(reservation: Reservation): boolean {
    const lease = this.#leases.get(reservation.bounds);
    if (lease === undefined) return false;
    const { tokens } = reservation;
    if (lease.requests < 1 || lease.slots < 1 || lease.tokens < tokens) {
      this.#return(lease);
      return false;
    }
    lease.requests -= 1;
    lease.slots -= 1;
    lease.tokens -= tokens;
    lease.isUsed = true;
    reservation.lease = lease;
    return true;
  }

  /** @returns whether the request was admitted by a lease */
  settle(reservation: Reservation, usedTokens: number): boolean {
    const { lease } = reservation;
    if (!(lease instanceof Lease)) return false;
    reservation.lease = undefined;
    const unused = reservation.tokens - usedTokens;
    if (lease.isEnded) this.#batch.add(['leave', lease.id, unused]);
    else {
      lease.slots += 1;
      lease.tokens += unused;
    }
    return true;
  }

  granted(bounds: readonly LimitBound[], granted: WireLease): void {
    const before = this.#leases.get(bounds);
    if (before !== undefined) this.#return(before);
    const lease = new Lease(granted, bounds);
    this.#leases.set(bounds, lease);
    this.#byId.set(lease.id, lease);
    if (this.#recalled.delete(lease.id)) this.#return(lease);
  }

  recall(id: number): void {
    const lease = this.#byId.get(id);
    if (lease === undefined) return setBounded(this.#recalled, MAX_RECALLED, id, true);
    this.#return(lease);
    this.#batch.flush();
  }

  /** What is lent of these bounds and not used. */
  unusedOf(bounds: readonly LimitBound[]): Readonly<Pick<Lease, 'requests' | 'tokens'>> | undefined {
    return this.#leases.get(bounds);
  }

  /** Returns leases that no request has used since the last call. */
  returnIdle(): void {
    for (const lease of this.#byId.values()) {
      if (!lease.isUsed) this.#return(lease);
      lease.isUsed = false;
    }
  }

  #return(lease: Lease): void {
    const { id, bounds, requests, tokens, slots } = lease;
    lease.isEnded = true;
    this.#byId.delete(id);
    this.#leases.delete(bounds);
    this.#onReturn(lease);
    this.#batch.add(['return', id, requests, encodeLimit(tokens), slots]);
  }
}
