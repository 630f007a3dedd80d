import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import { databaseErrorCode } from '../../database/connection-failure.ts';
import type { Database } from '../../database/database.ts';
import type { ObjectReach } from '../../gateway/keys/object-reach.ts';
import { RowQueue, type QueuedRow, type UnstoredRow } from './row-queue.ts';

export interface UnstoredRowsDependencies {
  readonly database: Pick<Database, 'query'>;
  readonly log: { warn(fields: object, message: string): void };
  readonly clock?: Clock;
}

/** The table of the rows. */
export interface UnstoredTable {
  /** The statement that inserts rows, of which `$1` is a JSON array. It may be repeated after its result was lost. */
  readonly insert: string;
  /** What the log calls the rows. */
  readonly what: string;
  /** The name that the log has of a row. */
  shownName(name: string): string;
}

/** Delays after the first consecutive failures; later ones use `RETRY_MS`. */
const FIRST_RETRY_MS = [1_000, 5_000] as const;
const RETRY_MS = 30_000;
/** Per row: it is dropped after the next failure. */
const MAX_FAILURES = 3;
const CLOSING_RETRY_MS = 1_000;
const MAX_CLOSE_MS = 5_000;
/** Per statement. */
const BATCH_ROWS = 100;
const BATCH_CHARACTERS = 4_194_304;
/** In total, so that a database outage does not exhaust the memory. */
const MAX_ROWS = 10_000;
const MAX_CHARACTERS = 67_108_864;
/** The share that is dropped when the limits are exceeded, so that drops are logged rarely. */
const DROPPED_SHARE = 0.1;
const MAX_NAMED = 20;

/**
 * Rows of finished requests that are stored in the background. One statement at a time stores all that arrived during the
 * previous one, so that many requests do not occupy the database.
 */
export class UnstoredRows<Row extends object> {
  readonly #dependencies: UnstoredRowsDependencies;
  readonly #table: UnstoredTable;
  readonly #clock: Clock;
  readonly #queue = new RowQueue();
  #failures = 0;
  #storingAll: Promise<void> | null = null;
  #storing: Promise<unknown> = Promise.resolve();
  #wake: () => void = () => undefined;
  /** Until the next statement, after one that failed. */
  #isPausing = false;
  #isClosing = false;

  constructor(dependencies: UnstoredRowsDependencies, table: UnstoredTable) {
    this.#dependencies = dependencies;
    this.#table = table;
    this.#clock = dependencies.clock ?? systemClock;
  }

  add(row: UnstoredRow): void {
    this.#queue.add(row);
    if (row.json.length > MAX_CHARACTERS)
      this.#drop(this.#queue.all().slice(-1), new Error(`it is longer than ${MAX_CHARACTERS} characters`));
    while (this.#queue.size > MAX_ROWS || this.#queue.characters > MAX_CHARACTERS) {
      const oldest = this.#queue.all().slice(0, Math.ceil(this.#queue.size * DROPPED_SHARE));
      this.#drop(oldest, new Error(`too many ${this.#table.what} are waiting to be stored`));
    }
    if (this.#queue.size > 0) this.#storingAll ??= this.#storeAll();
  }

  /** The latest of a name; null if no accessible row is pending. */
  find(reach: ObjectReach, name: string): Row | null {
    const held = this.#queue.named(reach, name).at(-1);
    return held === undefined ? null : JSON.parse(held.json);
  }

  /** Removes pending rows. Resolves once no statement stores them any more: they may be stored by then. */
  async withdraw(reach: ObjectReach, name: string): Promise<boolean> {
    const held = this.#queue.named(reach, name);
    if (held.length === 0) return false;
    for (const each of held) this.#queue.remove(each);
    await this.#storing;
    return true;
  }

  /**
   * Changes pending rows. Resolves once no statement stores what they were before: that may be stored by then.
   * @param toJson as the statement expects it
   */
  async change(reach: ObjectReach, name: string, toJson: (row: Row) => string): Promise<void> {
    const held = this.#queue.named(reach, name);
    for (const each of held) this.#queue.replace(each, toJson(JSON.parse(each.json)));
    if (held.length > 0) await this.#storing;
  }

  /** Resolves once a statement has tried to store all rows of an account that are pending now. */
  async settled(accountId: string): Promise<void> {
    const last = this.#queue.all().findLast((held) => held.accountId === accountId);
    while (last !== undefined && this.#queue.has(last) && last.failures === 0 && !this.#isPausing) await this.#storing;
  }

  /** Waits some seconds until pending rows are stored; the rest is lost. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#wake();
    let timer: Timer | undefined;
    const limit = new Promise<void>((resolve) => (timer = this.#clock.setTimeout(resolve, MAX_CLOSE_MS)));
    await Promise.race([this.#storingAll, limit]);
    timer?.cancel();
    this.#drop(this.#queue.all(), new Error('the server stopped'));
    this.#wake();
  }

  async #storeAll(): Promise<void> {
    while (this.#queue.size > 0) {
      const storing = this.#store(this.#batch());
      this.#storing = storing;
      const error = await storing;
      if (error === null) this.#failures = 0;
      else await this.#waitAfter(error);
    }
    this.#storingAll = null;
  }

  #batch(): readonly QueuedRow[] {
    const batch: QueuedRow[] = [];
    let characters = 0;
    for (const held of this.#queue.all()) {
      characters += held.json.length;
      if (batch.length === BATCH_ROWS || (batch.length > 0 && characters > BATCH_CHARACTERS)) break;
      batch.push(held);
    }
    return batch;
  }

  /** @returns the error after which to retry; null if they are stored or dropped */
  async #store(batch: readonly QueuedRow[]): Promise<unknown> {
    try {
      const rows = `[${batch.map(({ json }) => json).join()}]`;
      await this.#dependencies.database.query(this.#table.insert, [rows]);
      for (const held of batch) this.#queue.remove(held);
      return null;
    } catch (error) {
      if (!isRefusal(error)) return error;
      if (batch.length === 1) {
        this.#drop(batch, error);
        return null;
      }
    }
    // One by one, so that a rejected row does not affect others.
    for (const held of batch) {
      const error = await this.#store([held]);
      if (error !== null) return error;
    }
    return null;
  }

  async #waitAfter(error: unknown): Promise<void> {
    const all = this.#queue.all();
    for (const held of all) held.failures++;
    const lost = all.filter(({ failures }) => failures > MAX_FAILURES);
    this.#drop(lost, error);
    if (this.#queue.size === 0) return;
    const againMs = FIRST_RETRY_MS[this.#failures++] ?? RETRY_MS;
    this.#isPausing = true;
    await this.#pause(this.#isClosing ? CLOSING_RETRY_MS : againMs);
    this.#isPausing = false;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.setTimeout(resolve, ms).unref();
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  #drop(lost: readonly QueuedRow[], err: unknown): void {
    if (lost.length === 0) return;
    for (const held of lost) this.#queue.remove(held);
    const { what, shownName } = this.#table;
    const named = lost.slice(0, MAX_NAMED).map(({ name }) => shownName(name));
    this.#dependencies.log.warn({ err, [what]: named, count: lost.length }, `${what} could not be stored and are lost`);
  }
}

/** Whether the database would reject it again: invalid data, or a deleted account. */
function isRefusal(error: unknown): boolean {
  return /^2[23]/.test(databaseErrorCode(error) ?? '');
}
