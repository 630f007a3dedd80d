import { resolve } from 'node:path';
import { Client, escapeLiteral } from 'pg';
import type { OpenDatabaseOptions } from '../../src/database/database.ts';

/**
 * Runs a statement in the database of a product that runs. The embedded one serves a socket in its data folder, and
 * its clients share one session: a statement with parameters takes several messages, between which those of the
 * product may come. Values are written into the text, each by `sqlText`.
 */
export async function queryRunning<Row extends object>(
  { url, dataDir }: OpenDatabaseOptions,
  statement: string,
): Promise<Row[]> {
  const embedded = { host: resolve(dataDir, 'run'), user: 'postgres', database: 'postgres' };
  const client = new Client(url === undefined ? embedded : { connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

export { escapeLiteral as sqlText };

/** The id that a row has, of the one that GraphQL shows. */
export function rowId(id: string): string {
  return Buffer.from(id, 'base64url').toString().split(':')[1] ?? '';
}

/** Gives somebody another role in each of their accounts. @param role as the database has it: `admin` */
export async function setRole(database: OpenDatabaseOptions, email: string, role: string): Promise<void> {
  await queryRunning(
    database,
    `update memberships set role = ${escapeLiteral(role)} from users
     where users.id = memberships.user_id and users.email = ${escapeLiteral(email)}`,
  );
}
