import { systemClock, type Clock, type Timer } from '../calendar/clock.ts';
import { isConnectionFailure } from './connection-failure.ts';
import type { Database } from './database.ts';
import type { StorageLog } from './log.ts';

const EVERY_MS = 500;
/** A change shows when it is committed, which may be so long after its time; and clocks of other machines may be behind. */
const SLACK_MS = 60_000;

/** From when on changes are looked at, in a feed's SELECT. The same throughout a statement, so that an index finds them. */
export const SINCE = "statement_timestamp() - $1 * interval '1 millisecond'";

/** Rows that tell of what other processes changed. */
export interface ChangeFeed<Row extends object> {
  /** A SELECT of what changed after `SINCE`. Each row is told once while it stays as it is. */
  readonly select: string;
  /** Where it throws, the row is told again at the next look. */
  readonly changed: (row: Row) => void;
}

interface Added {
  readonly select: string;
  readonly changed: (rowJson: string) => void;
  told: ReadonlySet<string>;
}

/**
 * Learns of what other processes changed: the command line, or a second server on the same database. One statement looks at all
 * feeds, twice a second, so that an idle server hardly keeps its database busy. This process is told of its own changes by
 * itself, at once, and here once more.
 */
export class ChangeWatch {
  readonly #database: Pick<Database, 'query'>;
  readonly #log: Pick<StorageLog, 'warn'> | undefined;
  readonly #feeds = new Set<Added>();
  readonly #clock: Clock;
  #timer: Timer | undefined;
  /** Of the clock's `monotonic`. */
  #lookedAt: number;
  #looking: Promise<void> | null = null;
  #failing = false;

  constructor(database: Pick<Database, 'query'>, log?: Pick<StorageLog, 'warn'>, clock: Clock = systemClock) {
    this.#database = database;
    this.#log = log;
    this.#clock = clock;
    this.#lookedAt = clock.monotonic();
  }

  /** @returns stops telling */
  add<Row extends object>({ select, changed }: ChangeFeed<Row>): () => void {
    const added: Added = { select, changed: (rowJson) => changed(JSON.parse(rowJson)), told: new Set() };
    this.#feeds.add(added);
    return () => void this.#feeds.delete(added);
  }

  /** As `start`, where nobody else can have changed anything so far. */
  startFromNow(): void {
    if (this.#timer !== undefined) return;
    this.#lookedAt = this.#clock.monotonic();
    this.start();
  }

  /** Begins to look by itself, when all who listen can be told. */
  start(): void {
    this.#timer ??= this.#clock
      .setInterval(() => void this.look().catch((error) => this.#failed(error)), EVERY_MS)
      .unref();
  }

  /** No second look begins while one is under way: its end is waited for. @throws where the database does not answer */
  look(): Promise<void> {
    return (this.#looking ??= this.#lookAtAll().finally(() => (this.#looking = null)));
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  async #lookAtAll(): Promise<void> {
    const feeds = [...this.#feeds];
    if (feeds.length === 0) return;
    const now = this.#clock.monotonic();
    const parts = feeds.map(
      ({ select }, index) => `select ${index} as feed, row_to_json(change)::text as change from (${select}) as change`,
    );
    const rows = await this.#database.query<{ feed: number; change: string }>(parts.join(' union all '), [
      Math.ceil(now - this.#lookedAt) + SLACK_MS,
    ]);
    this.#lookedAt = now;
    this.#failing = false;
    for (const [index, feed] of feeds.entries())
      this.#tell(
        feed,
        rows.filter(({ feed: of }) => Number(of) === index).map(({ change }) => change),
      );
  }

  #tell(feed: Added, changes: readonly string[]): void {
    const told = new Set<string>();
    for (const change of changes) {
      try {
        if (!feed.told.has(change) && this.#feeds.has(feed)) feed.changed(change);
        told.add(change);
      } catch (error) {
        this.#log?.warn({ err: error }, 'A change by another process could not be told, and will be again');
      }
    }
    feed.told = told;
  }

  /** A database that is away tells of itself elsewhere. The next look sees what this one missed. */
  #failed(error: unknown): void {
    const isClosed = this.#timer === undefined;
    if (isClosed || this.#failing || isConnectionFailure(error)) return;
    this.#log?.warn({ err: error }, 'What other processes changed could not be looked for, and will be again');
    this.#failing = true;
  }
}
