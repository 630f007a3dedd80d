import type { LimitName } from '../limit-state.ts';

/** Null for no limit: JSON has no infinity. */
export type WireLimit = number | null;

/** Nano-USD: JSON has no bigint. */
export type WireCost = string;

export type WireBound = readonly [
  id: string,
  of: 'key' | 'account' | 'model' | 'capability',
  part: string,
  requestsPerMinute: WireLimit,
  tokensPerMinute: WireLimit,
  requestsPerDay: WireLimit,
  concurrency: WireLimit,
];

/** A budget or an allowance as JSON text. */
export type WireBudget = string;

export type WireSpender = readonly [accountId: string, keyId: string, memberId: string | null, hasAllowance: boolean];

/** Of each charge in turn: its cost, when its request began and when it was charged. Flat, because there is one for each request. */
export type WireCharges = readonly (number | WireCost)[];

/** The state of a bound. */
export type WireLevels = readonly [requests: WireLimit, tokens: WireLimit, dayRequests: WireLimit, running: number];

/** Requests of some bounds that a worker may admit by itself. */
export type WireLease = readonly [lease: number, requests: number, tokens: WireLimit];

/**
 * What a worker asks the supervisor for, or tells it. Arrays are half the size of objects. Bounds and keys are defined once
 * per worker, and referred to by number.
 */
export type Operation =
  | readonly [type: 'bounds', bounds: number, ...members: readonly WireBound[]]
  | readonly [type: 'key', key: number, spender: WireSpender, ...budgets: readonly WireBudget[]]
  /** All numbers are defined anew. */
  | readonly [type: 'forget']
  /** @param unserved indexes of bounds whose tokens were not used */
  | readonly [
      type: 'settle',
      reservation: number,
      tokens: number,
      cost: WireCost,
      ended: number,
      ...unserved: readonly number[],
    ]
  /** Settles what was not reserved. */
  | readonly [
      type: 'correct',
      key: number,
      bounds: number,
      reserved: number,
      at: number,
      tokens: number,
      cost: WireCost,
      ended: number,
      ...unserved: readonly number[],
    ]
  | readonly [type: 'charge', spender: WireSpender, charges: WireCharges]
  | readonly [type: 'defer', id: string, spender: WireSpender, cost: WireCost]
  | readonly [type: 'releaseDeferred', id: string, spender: WireSpender]
  | readonly [type: 'retain', budgets: readonly WireBudget[], ids: readonly string[]]
  /** Ends a lease. The slots of its running requests are released one by one. */
  | readonly [type: 'return', lease: number, requests: number, tokens: WireLimit, slots: number]
  /** Ends a request of a lease that has ended. @param tokens reserved, less those used */
  | readonly [type: 'leave', lease: number, tokens: number]
  /** The requests that the worker before this one did not settle are settled in the database. */
  | readonly [type: 'recovered']
  | Question;

/** Operations with a reply. */
export type Question =
  | readonly [
      type: 'reserve',
      reservation: number,
      key: number,
      bounds: number,
      tokens: number,
      at: number,
      cost: WireCost,
      /** Whether later requests will have the same bounds. */
      mayLend: boolean,
    ]
  | readonly [type: 'extend', reservation: number, cost: WireCost]
  | readonly [type: 'open', budget: WireBudget]
  | readonly [type: 'add', budget: WireBudget, spent: WireCost, at: number]
  | readonly [type: 'cancelCount', budget: WireBudget]
  | readonly [type: 'close', budget: WireBudget]
  | readonly [type: 'state', budget: WireBudget];

export interface ReserveReply {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly levels: readonly WireLevels[];
  /** What has no room, with its index in the bounds or budgets. `unknown` is a budget that is not open. */
  readonly full?: readonly [LimitName | 'budget' | 'unknown', number];
  readonly lease?: WireLease;
}

/** Replies by the type of the question. A question that the supervisor could not answer has the reply `{ failed: true }`. */
export interface Replies {
  readonly reserve: ReserveReply;
  /** The index of the budget without room; -1 for none, -2 for one that is not open. */
  readonly extend: number;
  readonly open: boolean;
  readonly add: null;
  readonly cancelCount: null;
  readonly close: null;
  /** Null for one that is not open. */
  readonly state: {
    readonly spent: WireCost;
    readonly reserved: WireCost;
    readonly period: readonly [number, WireLimit];
  } | null;
}

/** What the supervisor tells a worker. */
export type LimitNotice =
  /** The account's budgets have to be opened again. */
  | readonly [type: 'lost', accountId: string]
  /** The lease has to be returned, also where it arrives later. */
  | readonly [type: 'recall', lease: number];

/** Carries operations from a worker to the supervisor, in order. */
export interface LimitMessages {
  /** @returns a reply per question, in order. @throws where the supervisor is gone */
  request(operations: readonly Operation[]): Promise<readonly unknown[]>;
  post(operations: readonly Operation[]): void;
  onNotice(listener: (notice: LimitNotice) => void): void;
}
