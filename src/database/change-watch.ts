import { systemClock, type Clock } from '../calendar/clock.ts';
import { isConnectionFailure } from './connection-failure.ts';
import type { StorageLog } from './log.ts';
import { RepeatedPoll } from './polls/repeated-poll.ts';
import { unsharedPolls, type SharedPolls } from './polls/shared-polls.ts';
import type { SqlQueries } from './sql.ts';

const POLL_INTERVAL_MS = 500;
/** A row becomes visible at commit, up to this long after its timestamp; clocks of other machines may also be behind. */
const SLACK_MS = 60_000;

/** Start of the period that a feed's SELECT reads. Stable within a statement, so that an index can be used. */
export const SINCE = "statement_timestamp() - $1 * interval '1 millisecond'";

/** Rows that show what other processes changed. */
export interface ChangeFeed<Row extends object> {
  /** A SELECT of rows changed after `SINCE`. Each row is delivered once while it stays the same. */
  readonly select: string;
  /** If it throws, the row is delivered again at the next poll. */
  readonly changed: (row: Row) => void;
}

interface RegisteredFeed {
  readonly select: string;
  readonly changed: (rowJson: string) => void;
  delivered: ReadonlySet<string>;
}

/** It is logged where it occurs. */
class UnprocessedChangeError extends Error {}

/**
 * Detects changes by other processes: the command line, or a second server on the same database. One statement polls all feeds
 * twice a second, so that an idle server puts little load on the database; of the workers of a machine, one does. Changes by
 * this process are delivered to it directly, and here a second time.
 */
export class ChangeWatch {
  /** How this process shares polls with the other workers of its machine. */
  readonly polls: SharedPolls;
  readonly #database: SqlQueries;
  readonly #log: Pick<StorageLog, 'warn'> | undefined;
  readonly #feeds = new Set<RegisteredFeed>();
  readonly #clock: Clock;
  readonly #repeated: RepeatedPoll;
  /** Of the clock's `monotonic`. */
  #polledAt: number;
  #polling: Promise<void> | null = null;
  #failing = false;
  /** The last poll delivered a change that a feed could not process. */
  #hasUnprocessed = false;

  constructor(
    database: SqlQueries,
    log?: Pick<StorageLog, 'warn'>,
    clock: Clock = systemClock,
    polls: SharedPolls = unsharedPolls,
  ) {
    this.polls = polls;
    this.#database = database;
    this.#log = log;
    this.#clock = clock;
    this.#polledAt = clock.monotonic();
    this.#repeated = new RepeatedPoll({
      name: 'changes',
      intervalMs: POLL_INTERVAL_MS,
      polls,
      clock,
      poll: async () => {
        await this.poll();
        if (this.#hasUnprocessed) throw new UnprocessedChangeError();
      },
      onFault: (error) => this.#failed(error),
    });
  }

  /** @returns a function that removes the feed */
  add<Row extends object>({ select, changed }: ChangeFeed<Row>): () => void {
    const added: RegisteredFeed = { select, changed: (rowJson) => changed(JSON.parse(rowJson)), delivered: new Set() };
    this.#feeds.add(added);
    return () => void this.#feeds.delete(added);
  }

  /** As `start`, if no other process can have changed anything so far. */
  startFromNow(): void {
    if (this.#repeated.isStarted) return;
    this.#polledAt = this.#clock.monotonic();
    this.start();
  }

  /** Starts polling. Call it once all listeners are added. */
  start(): void {
    this.#repeated.start();
  }

  /** Concurrent calls share one poll. @throws if the database does not respond */
  poll(): Promise<void> {
    return (this.#polling ??= this.#pollFeeds().finally(() => (this.#polling = null)));
  }

  close(): void {
    this.#repeated.close();
  }

  async #pollFeeds(): Promise<void> {
    const feeds = [...this.#feeds];
    if (feeds.length === 0) return;
    const now = this.#clock.monotonic();
    const parts = feeds.map(
      ({ select }, index) => `select ${index} as feed, row_to_json(change)::text as change from (${select}) as change`,
    );
    const rows = await this.#database.query<{ feed: number; change: string }>(parts.join(' union all '), [
      Math.ceil(now - this.#polledAt) + SLACK_MS,
    ]);
    this.#polledAt = now;
    this.#failing = false;
    this.#hasUnprocessed = false;
    for (const [index, feed] of feeds.entries())
      this.#deliver(
        feed,
        rows.filter(({ feed: of }) => Number(of) === index).map(({ change }) => change),
      );
  }

  #deliver(feed: RegisteredFeed, changes: readonly string[]): void {
    const delivered = new Set<string>();
    if (changes.some((change) => !feed.delivered.has(change))) this.polls.announce('changes', 'changed');
    for (const change of changes) {
      try {
        if (!feed.delivered.has(change) && this.#feeds.has(feed)) feed.changed(change);
        delivered.add(change);
      } catch (error) {
        this.#hasUnprocessed = true;
        this.#log?.warn({ err: error }, 'a change by another process could not be processed; it is retried');
      }
    }
    feed.delivered = delivered;
  }

  /** Connection failures are logged elsewhere. The next poll also reads what this one missed. */
  #failed(error: unknown): void {
    if (error instanceof UnprocessedChangeError) return;
    if (!this.#repeated.isStarted || this.#failing || isConnectionFailure(error)) return;
    this.#log?.warn({ err: error }, 'changes by other processes could not be read; they are read again');
    this.#failing = true;
  }
}
