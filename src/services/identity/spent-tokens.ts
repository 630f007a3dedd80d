import { hash } from 'node:crypto';
import type { Database } from '../../database/database.ts';
import { mapDatabaseErrors } from '../database-availability.ts';

/**
 * Marks a single-use value as used, across all processes of a database.
 * @returns whether this was the first use
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
