import type { ExportResult } from '@opentelemetry/core';
import type { Clock, Timer } from '../calendar/clock.ts';

/** An exporter of the SDK. */
export interface Exporter<Item> {
  export(items: Item[], done: (result: ExportResult) => void): void;
  shutdown(): Promise<void>;
}

export interface QueueLog {
  warn(fields: object, message: string): void;
}

export interface ExportQueueOptions {
  /** For the log: `spans`. */
  readonly items: string;
  readonly clock: Clock;
  readonly log: QueueLog;
}

/** Further items are dropped. */
const MAX_ITEMS = 2_048;
/** Enough to export at once. Serialisation is synchronous: more would delay requests by milliseconds. */
const BATCH_ITEMS = 128;
/** Of a batch where the collector is slow. */
const MAX_BATCH_ITEMS = 512;
/** How long the first item of a batch waits for others. */
const DELAY_MS = 2_000;
/** `ExportResultCode.SUCCESS`, whose module is not loaded for it. */
const SUCCESS = 0;

/**
 * Items between requests and an exporter. Never waits: what has no room, or could not be exported, is dropped, counted, and logged
 * once until exporting works again.
 */
export class ExportQueue<Item> {
  droppedCount = 0;
  readonly #exporter: Exporter<Item>;
  readonly #options: ExportQueueOptions;
  #items: Item[] = [];
  #timer: Timer | null = null;
  #exporting: Promise<void> | null = null;
  #isFailing = false;
  #isClosed = false;

  constructor(exporter: Exporter<Item>, options: ExportQueueOptions) {
    this.#exporter = exporter;
    this.#options = options;
  }

  push(item: Item): void {
    if (this.#isClosed) return;
    if (this.#items.length >= MAX_ITEMS) return this.#drop(1, 'the collector is too slow');
    this.#items.push(item);
    if (this.#items.length >= BATCH_ITEMS) this.#start();
    else this.#timer ??= this.#options.clock.setTimeout(() => this.#start(), DELAY_MS).unref();
  }

  /** Exports what is left; what takes longer is dropped. */
  async close(withinMs: number): Promise<void> {
    this.#isClosed = true;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = this.#options.clock.setTimeout(resolve, withinMs);
    this.#start();
    await Promise.race([this.#exporting, late]);
    timer.cancel();
    if (this.#items.length > 0) this.#drop(this.#items.splice(0).length, 'the process stopped');
    void this.#exporter.shutdown().catch(() => undefined);
  }

  #start(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#exporting ??= this.#exportAll().finally(() => (this.#exporting = null));
  }

  async #exportAll(): Promise<void> {
    while (this.#items.length > 0) {
      const batch = this.#items.splice(0, MAX_BATCH_ITEMS);
      const reason = await this.#export(batch);
      if (reason === null) this.#isFailing = false;
      else this.#drop(batch.length, reason);
    }
  }

  /** @returns why it failed; null where it did not */
  #export(batch: Item[]): Promise<string | null> {
    return new Promise((resolve) => {
      try {
        this.#exporter.export(batch, ({ code, error }) => resolve(code === SUCCESS ? null : reasonOf(error)));
      } catch (error) {
        resolve(reasonOf(error));
      }
    });
  }

  #drop(count: number, reason: string): void {
    this.droppedCount += count;
    if (this.#isFailing) return;
    this.#isFailing = true;
    const { items, log } = this.#options;
    log.warn({ reason }, `${items} are not exported and dropped until the collector accepts them`);
  }
}

/** Not the message: it may contain the response of the collector. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the exporter failed';
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'number' || typeof code === 'string' ? String(code) : error.name;
}
