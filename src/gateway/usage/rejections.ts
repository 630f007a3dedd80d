import type { Clock } from '../../calendar/clock.ts';
import type { Segment } from './journal/segment.ts';
import type { UsageJournal } from './journal/usage-journal.ts';
import type { GatewayMetrics } from '../metrics/metrics.ts';
import { RecordBudget } from './record-budget.ts';
import { rejectedLine, type RejectedRequest } from './rejected-request.ts';

const MINUTE_MS = 60_000;
/** Of roll-ups: no count extends into the next one. */
const QUARTER_MS = 15 * MINUTE_MS;
/** Kinds of rejections per key and quarter hour that name their model. */
const MAX_NAMED_KINDS = 16;
/** Further ones are counted by their error code only. */
const MAX_KINDS = 64;
/** The first ones of a kind have a record each, so that a developer sees every request. */
const MAX_SINGLE_RECORDS = 5;
const MAX_KEYS = 10_000;
/** Characters. */
const MAX_MODEL_LENGTH = 256;

/** Rejections that are counted together. */
interface Kind {
  /** The first rejection without a record, which names their record; null for none. */
  first: RejectedRequest | null;
  at: number;
  /** Number of rejections without a record. */
  pending: number;
  /** The number that the journal knows. */
  durable: number;
  /** Where the journal has that number; null where it has none. */
  segment: Segment | null;
  /** Number of further rejections with a record of their own. */
  singles: number;
  /** When the pending ones are recorded. */
  dueAt: number;
  /** How long the next ones are counted. */
  countMs: number;
}

interface KeyQuarter {
  readonly quarter: number;
  readonly kinds: Map<string, Kind>;
  named: number;
}

/**
 * Records rejected requests, each counted once. The first five of a kind (key, endpoint, protocol, error, model) in a
 * quarter hour are recorded individually and immediately, as long as the process has not recorded many. Others are
 * counted in records that are written after one minute, then two, four, and at the end of the quarter hour: a flood adds
 * a bounded number of records. The journal has the counts of half a second ago, so that a killed process loses no more.
 */
export class RejectedRequests {
  readonly #journal: UsageJournal;
  readonly #metrics: GatewayMetrics;
  readonly #clock: Clock;
  readonly #singles: RecordBudget;
  readonly #keys = new Map<string, KeyQuarter>();

  constructor(journal: UsageJournal, metrics: GatewayMetrics, clock: Clock) {
    this.#journal = journal;
    this.#metrics = metrics;
    this.#clock = clock;
    this.#singles = new RecordBudget(clock);
  }

  record(rejected: RejectedRequest): void {
    const now = this.#clock.now();
    this.#metrics.requestRejected(rejected.capability ?? 'other', rejected.error.code);
    const of = this.#quarterOf(rejected.key.id, Math.floor(now / QUARTER_MS));
    const { kind, request } = kindOf(rejected, of);
    if (kind.singles > 0 && this.#singles.tryConsume()) {
      kind.singles--;
      return this.#journal.appendSettleWithoutBegin(rejectedLine(request, now, 1));
    }
    if (kind.first === null) {
      kind.first = request;
      kind.at = now;
      kind.dueAt = Math.min(now + kind.countMs, (of.quarter + 1) * QUARTER_MS);
      kind.countMs *= 2;
    }
    kind.pending++;
  }

  /** Records the counts that are due, and makes the others durable. Called twice a second. */
  sweep(): void {
    if (this.#keys.size === 0) return;
    const now = this.#clock.now();
    const quarter = Math.floor(now / QUARTER_MS);
    for (const [id, of] of this.#keys) {
      for (const kind of of.kinds.values())
        if (kind.dueAt <= now) this.#write(kind);
        else this.#makeDurable(kind);
      if (of.quarter !== quarter) this.#flushKey(id, of);
    }
  }

  flushAll(): void {
    for (const [id, of] of this.#keys) this.#flushKey(id, of);
  }

  #quarterOf(id: string, quarter: number): KeyQuarter {
    const known = this.#keys.get(id);
    if (known?.quarter === quarter) return known;
    if (known !== undefined) this.#flushKey(id, known);
    if (this.#keys.size >= MAX_KEYS) this.flushAll();
    const created = { quarter, kinds: new Map<string, Kind>(), named: 0 };
    this.#keys.set(id, created);
    return created;
  }

  #flushKey(id: string, { kinds }: KeyQuarter): void {
    this.#keys.delete(id);
    for (const kind of kinds.values()) this.#write(kind);
  }

  #write(kind: Kind): void {
    const { first, at, pending, segment } = kind;
    if (first === null) return;
    const line = rejectedLine(first, at, pending);
    if (segment === null) this.#journal.appendSettleWithoutBegin(line);
    else this.#journal.appendSettleRecord(line, segment, null);
    Object.assign(kind, { first: null, pending: 0, durable: 0, segment: null, dueAt: Infinity });
  }

  /** Not while the journal cannot be written: lines would pile up in memory. */
  #makeDurable(kind: Kind): void {
    const { first, at, pending } = kind;
    if (first === null || pending === kind.durable || this.#journal.failure !== null) return;
    kind.segment = this.#journal.checkpoint(rejectedLine(first, at, pending), kind.segment);
    kind.durable = pending;
  }
}

/** The kind of a rejection, and what a record of it states: less, the more kinds there are. */
function kindOf(rejected: RejectedRequest, of: KeyQuarter): { readonly kind: Kind; readonly request: RejectedRequest } {
  const { capability, protocol = null, error, target } = rejected;
  const requestedModel = rejected.requestedModel?.slice(0, MAX_MODEL_LENGTH) ?? null;
  const request = { ...rejected, requestedModel };
  const name = JSON.stringify([capability, protocol, error.code, requestedModel, target?.model]);
  const known = of.kinds.get(name);
  if (known !== undefined) return { kind: known, request };
  if (of.named < MAX_NAMED_KINDS) {
    of.named++;
    return { kind: addKind(of, name, MAX_SINGLE_RECORDS), request };
  }
  const unnamed = { ...request, requestedModel: null, target: null };
  const wide = JSON.stringify([capability, protocol, error.code]);
  const same = of.kinds.get(wide);
  if (same !== undefined || of.kinds.size < MAX_KINDS) return { kind: same ?? addKind(of, wide, 1), request: unnamed };
  const rest = { ...unnamed, capability: null, protocol: null };
  return { kind: of.kinds.get(error.code) ?? addKind(of, error.code, 0), request: rest };
}

function addKind({ kinds }: KeyQuarter, name: string, singles: number): Kind {
  const counts = { at: 0, pending: 0, durable: 0, segment: null, dueAt: Infinity };
  const created = { first: null, ...counts, singles, countMs: MINUTE_MS };
  kinds.set(name, created);
  return created;
}
