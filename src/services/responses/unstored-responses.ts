import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import { databaseErrorCode } from '../../database/connection-failure.ts';
import type { Database } from '../../database/database.ts';
import type { NewResponse } from '../../gateway/capabilities/responses/background/run-store.ts';
import type { ObjectReach } from '../../gateway/keys/object-reach.ts';
import { publicResponseId } from './response-id.ts';
import { insertRows, rowJson, type ResponseRow } from './response-rows.ts';

export interface UnstoredResponsesDependencies {
  readonly database: Pick<Database, 'query'>;
  readonly log: { warn(fields: object, message: string): void };
  readonly clock?: Clock;
}

/** Delays after the first consecutive failures; later ones use `RETRY_MS`. */
const FIRST_RETRY_MS = [1_000, 5_000] as const;
const RETRY_MS = 30_000;
/** Per response: it is dropped after the next failure. */
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

interface Unstored {
  readonly id: string;
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly json: string;
  failures: number;
}

/**
 * Finished responses that are stored in the background. One statement at a time stores all that arrived during the previous
 * one, so that many responses do not occupy the database.
 */
export class UnstoredResponses {
  readonly #dependencies: UnstoredResponsesDependencies;
  readonly #clock: Clock;
  /** By id, in the order of storing. */
  readonly #queue = new Map<string, Unstored>();
  #characters = 0;
  #failures = 0;
  #storingAll: Promise<void> | null = null;
  #storing: Promise<unknown> = Promise.resolve();
  #wake: () => void = () => undefined;
  #isClosing = false;

  constructor(dependencies: UnstoredResponsesDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
  }

  add(given: NewResponse): void {
    const { id, key } = given;
    const json = rowJson(given, null);
    this.#queue.set(id, { id, accountId: key.accountId, apiKeyId: key.id, json, failures: 0 });
    this.#characters += json.length;
    while (this.#queue.size > MAX_ROWS || this.#characters > MAX_CHARACTERS) {
      const oldest = [...this.#queue.values()].slice(0, Math.ceil(this.#queue.size * DROPPED_SHARE));
      this.#drop(oldest, new Error('too many responses are waiting to be stored'));
    }
    if (this.#queue.size > 0) this.#storingAll ??= this.#storeAll();
  }

  /** By UUID; null if no accessible response is pending. */
  find(reach: ObjectReach, id: string): ResponseRow | null {
    const held = this.#queue.get(id);
    return held !== undefined && isWithin(reach, held) ? JSON.parse(held.json) : null;
  }

  /** Removes a pending response. Resolves once no statement stores it any more: it may be stored by then. */
  async withdraw(reach: ObjectReach, id: string): Promise<boolean> {
    const held = this.#queue.get(id);
    if (held === undefined || !isWithin(reach, held)) return false;
    this.#remove(held);
    await this.#storing;
    return true;
  }

  /** Waits some seconds until pending responses are stored; the rest is lost. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#wake();
    let timer: Timer | undefined;
    const limit = new Promise<void>((resolve) => (timer = this.#clock.setTimeout(resolve, MAX_CLOSE_MS)));
    await Promise.race([this.#storingAll, limit]);
    timer?.cancel();
    this.#drop([...this.#queue.values()], new Error('the server stopped'));
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

  #batch(): readonly Unstored[] {
    const batch: Unstored[] = [];
    let characters = 0;
    for (const held of this.#queue.values()) {
      characters += held.json.length;
      if (batch.length === BATCH_ROWS || (batch.length > 0 && characters > BATCH_CHARACTERS)) break;
      batch.push(held);
    }
    return batch;
  }

  /** @returns the error after which to retry; null if they are stored or dropped */
  async #store(batch: readonly Unstored[]): Promise<unknown> {
    try {
      await this.#dependencies.database.query(insertRows, [`[${batch.map(({ json }) => json).join()}]`]);
      for (const held of batch) this.#remove(held);
      return null;
    } catch (error) {
      if (!isRefusal(error)) return error;
      if (batch.length === 1) {
        this.#drop(batch, error);
        return null;
      }
    }
    // One by one, so that a rejected response does not affect others.
    for (const held of batch) {
      const error = await this.#store([held]);
      if (error !== null) return error;
    }
    return null;
  }

  async #waitAfter(error: unknown): Promise<void> {
    const all = [...this.#queue.values()];
    for (const held of all) held.failures++;
    const lost = all.filter(({ failures }) => failures > MAX_FAILURES);
    this.#drop(lost, error);
    if (this.#queue.size === 0) return;
    const againMs = FIRST_RETRY_MS[this.#failures++] ?? RETRY_MS;
    await this.#pause(this.#isClosing ? CLOSING_RETRY_MS : againMs);
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

  #drop(lost: readonly Unstored[], err: unknown): void {
    if (lost.length === 0) return;
    for (const held of lost) this.#remove(held);
    const named = lost.slice(0, MAX_NAMED).map(({ id }) => publicResponseId(id));
    this.#dependencies.log.warn(
      { err, responses: named, count: lost.length },
      'responses could not be stored and are lost',
    );
  }

  #remove(held: Unstored): void {
    if (this.#queue.delete(held.id)) this.#characters -= held.json.length;
  }
}

function isWithin({ accountId, apiKeyId }: ObjectReach, held: Unstored): boolean {
  return held.accountId === accountId && (apiKeyId === null || held.apiKeyId === apiKeyId);
}

/** Whether the database would reject it again: invalid data, or a deleted account. */
function isRefusal(error: unknown): boolean {
  return /^2[23]/.test(databaseErrorCode(error) ?? '');
}
