import type { EntityManager } from '@mikro-orm/postgresql';
import { databaseErrorCode, isConnectionFailure } from './connection-failure.ts';
import type { StorageLog } from './log.ts';
import type { SqlQueries } from './sql.ts';

/** Reads alone, whose rows may have been written a moment ago. */
export interface ReadDatabase extends SqlQueries {
  /** Reads in a fork of its own; again on another server where the first one fails. */
  read<T>(work: (em: EntityManager) => Promise<T>): Promise<T>;
}

interface ReadReplicaOptions {
  readonly primary: ReadDatabase;
  readonly replica: ReadDatabase;
  /** Milliseconds, never going back. */
  readonly monotonic: () => number;
  readonly log: StorageLog | undefined;
}

/** How long an unreachable replica is not tried again. */
const RETRY_MS = 5_000;

/** The replica does not accept the credentials, or lacks what a migration has just made. */
const unusable = new Set(['28000', '28P01', '3D000', '42P01', '42703', '42883']);
/** Replication removed rows that the statement reads. */
const RECOVERY_CONFLICT = '40001';

/** Reads from a replica, and from the primary database while the replica cannot serve them. */
export class ReadReplica implements ReadDatabase {
  readonly #options: ReadReplicaOptions;
  /** Null while it serves. */
  #retryAt: number | null = null;

  constructor(options: ReadReplicaOptions) {
    this.#options = options;
  }

  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]> {
    return this.#onEither((database) => database.query<Row>(text, values));
  }

  read<T>(work: (em: EntityManager) => Promise<T>): Promise<T> {
    return this.#onEither((database) => database.read(work));
  }

  async #onEither<T>(work: (database: ReadDatabase) => Promise<T>): Promise<T> {
    const { primary, replica, monotonic, log } = this.#options;
    if (this.#retryAt !== null && monotonic() < this.#retryAt) return work(primary);
    try {
      const result = await work(replica);
      if (this.#retryAt !== null) log?.info('the read replica serves again');
      this.#retryAt = null;
      return result;
    } catch (error) {
      const code = databaseErrorCode(error) ?? '';
      const isDown = isConnectionFailure(error) || unusable.has(code);
      if (!isDown && code !== RECOVERY_CONFLICT) throw error;
      if (isDown) {
        if (this.#retryAt === null) log?.warn({ err: error }, 'read replica unavailable: reading from the primary');
        this.#retryAt = monotonic() + RETRY_MS;
      }
      return work(primary);
    }
  }
}
