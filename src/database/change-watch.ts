import type { Database } from './database.ts';

const EVERY_MS = 500;
/** A change shows when it is committed, which may be so long after its time; and clocks of other machines may be behind. */
const SLACK_MS = 60_000;

/** From when on changes are looked at, in a feed's SELECT. */
export const SINCE = "clock_timestamp() - $1 * interval '1 millisecond'";

/** Rows that tell of what other processes changed. */
export interface ChangeFeed<Row extends object> {
  /** A SELECT of what changed after `SINCE`. Each row is told once while it stays as it is. */
  readonly select: string;
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
  readonly #isShared: boolean;
  readonly #feeds = new Set<Added>();
  #timer: NodeJS.Timeout | undefined;
  #lookedAt = performance.now();
  #looking: Promise<void> | null = null;

  /** @param isShared whether other processes can have the database open at all */
  constructor(database: Pick<Database, 'query'>, isShared: boolean) {
    this.#database = database;
    this.#isShared = isShared;
  }

  /** @returns stops telling */
  add<Row extends object>({ select, changed }: ChangeFeed<Row>): () => void {
    const added: Added = { select, changed: (rowJson) => changed(JSON.parse(rowJson)), told: new Set() };
    this.#feeds.add(added);
    if (this.#isShared)
      // A database that is away tells of itself elsewhere; the next look sees what this one missed.
      this.#timer ??= setInterval(() => void this.look().catch(() => undefined), EVERY_MS).unref();
    return () => {
      this.#feeds.delete(added);
      if (this.#feeds.size === 0) this.close();
    };
  }

  /** A look that is slow is not joined by others. @throws where the database does not answer */
  look(): Promise<void> {
    return (this.#looking ??= this.#lookAtAll().finally(() => (this.#looking = null)));
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #lookAtAll(): Promise<void> {
    const now = performance.now();
    const feeds = [...this.#feeds];
    const parts = feeds.map(
      ({ select }, index) => `select ${index} as feed, row_to_json(change)::text as change from (${select}) as change`,
    );
    const rows = await this.#database.query<{ feed: number; change: string }>(parts.join(' union all '), [
      Math.ceil(now - this.#lookedAt) + SLACK_MS,
    ]);
    this.#lookedAt = now;
    for (const [index, feed] of feeds.entries()) {
      const changes = new Set(rows.filter(({ feed: of }) => Number(of) === index).map(({ change }) => change));
      const untold = [...changes].filter((change) => !feed.told.has(change));
      feed.told = changes;
      if (this.#feeds.has(feed)) for (const change of untold) feed.changed(change);
    }
  }
}
