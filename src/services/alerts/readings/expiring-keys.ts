import type { Database } from '../../../database/database.ts';
import { DAY_MS } from '../../keys/key-expiry.ts';

export interface ExpiringKey {
  readonly id: string;
  readonly name: string;
  /** Until it expires; above 0. */
  readonly days: number;
}

const MAX_KEYS = 1_000;

/** Finds an account's keys that will expire. */
export class ExpiringKeys {
  readonly #database: Pick<Database, 'query'>;

  constructor(database: Pick<Database, 'query'>) {
    this.#database = database;
  }

  /** The next to expire first. @param keyId only this key, if given */
  async read(accountId: string, keyId: string | undefined, now: number): Promise<readonly ExpiringKey[]> {
    const rows = await this.#database.query<{ id: string; name: string; expires: number }>(
      `select id, name, (extract(epoch from expires_at) * 1000)::float8 as expires from api_keys
       where account_id = $1 and revoked_at is null and kind = 'user' and expires_at > $2
         and ($3::uuid is null or id = $3)
       order by expires_at, id limit ${MAX_KEYS}`,
      [accountId, new Date(now), keyId ?? null],
    );
    return rows.map(({ id, name, expires }) => ({ id, name, days: (expires - now) / DAY_MS }));
  }
}
