import type { Database } from '../../../database/database.ts';
import { ApiKey } from '../../../database/entities/api-key.entity.ts';
import { databaseUnavailable } from '../../database-availability.ts';
import type { KeyPepper } from '../secrets/pepper.ts';

/** Of the connections that all queries share. */
const MAX_QUERIES = 2;
const MAX_PER_QUERY = 200;
const MAX_WAITING = 5_000;

interface Wanted {
  /** The secret's HMAC under every known pepper. */
  readonly hmacs: readonly Buffer[];
  readonly answer: PromiseWithResolvers<FoundKey | null>;
}

export interface FoundKey {
  readonly row: ApiKey;
  /** Whether it is the secret before the last rotation, which may have expired. */
  readonly isPrevious: boolean;
}

/**
 * Reads keys from the database by their secrets. Concurrent lookups are combined into one query: anyone can invent secrets
 * with a valid checksum, and a flood of them must not block the database for others.
 */
export class KeyLookup {
  readonly #database: Database;
  readonly #pepper: KeyPepper;
  readonly #waiting: Wanted[] = [];
  #running = 0;

  constructor(database: Database, pepper: KeyPepper) {
    this.#database = database;
    this.#pepper = pepper;
  }

  /** The key with its account, also if it is revoked; null if there is none. @throws SluiceError database_unavailable */
  async find(secret: string): Promise<FoundKey | null> {
    if (this.#waiting.length >= MAX_WAITING) throw databaseUnavailable();
    const hmacs = this.#pepper.everyHmac(secret).map(({ hmac }) => hmac);
    const answer = Promise.withResolvers<FoundKey | null>();
    this.#waiting.push({ hmacs, answer });
    this.#readNext();
    return answer.promise;
  }

  #readNext(): void {
    if (this.#running >= MAX_QUERIES || this.#waiting.length === 0) return;
    this.#running++;
    void this.#read(this.#waiting.splice(0, MAX_PER_QUERY)).finally(() => {
      this.#running--;
      this.#readNext();
    });
  }

  async #read(wanted: readonly Wanted[]): Promise<void> {
    try {
      const among = { $in: wanted.flatMap(({ hmacs }) => hmacs) };
      const rows = await this.#database
        .em()
        .find(ApiKey, { $or: [{ secretHmac: among }, { previousSecretHmac: among }] }, { populate: ['account'] });
      const byHmac = new Map<string | undefined, FoundKey>([
        ...rows.map((row) => [row.previousSecretHmac?.toString('base64'), { row, isPrevious: true }] as const),
        ...rows.map((row) => [row.secretHmac?.toString('base64'), { row, isPrevious: false }] as const),
      ]);
      for (const { hmacs, answer } of wanted)
        answer.resolve(hmacs.map((hmac) => byHmac.get(hmac.toString('base64'))).find(Boolean) ?? null);
    } catch (cause) {
      for (const { answer } of wanted) answer.reject(databaseUnavailable(cause));
    }
  }
}
