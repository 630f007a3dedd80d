import { hash } from 'node:crypto';
import type { Database } from '../../database/database.ts';
import { mapDatabaseErrors } from '../database-availability.ts';

/**
 * Takes what may be taken once, on every process of a database.
 * @returns whether this is the first time
 */
export function spend(database: Database, id: string, expiresAt: Date): Promise<boolean> {
  return mapDatabaseErrors(async () => {
    const rows = await database.query<{ spent: boolean }>(
      'insert into spent_tokens (token_hash, expires_at) values ($1, $2) on conflict do nothing returning true as spent',
      [hash('sha256', id, 'buffer'), expiresAt],
    );
    return rows.length > 0;
  });
}
