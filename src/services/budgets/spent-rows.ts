import type { Database } from '../../database/database.ts';
import type { UsageRecord } from '../../gateway/usage-record.ts';
import { mapDatabaseErrors } from '../database-availability.ts';

/** Whose money is summed up. */
export interface SpentBy {
  readonly accountId: string;
  /** All of the account's where absent. */
  readonly apiKeyId?: string | undefined;
  readonly memberId?: string | undefined;
}

/** In milliseconds since the epoch. */
export interface SpentWhen {
  /** Requests that began at or after it. */
  readonly from: number;
  /** Those that had ended before it. */
  readonly endedBefore: number;
}

/**
 * An event's id holds the time at which its request came, and its duration counts from there: its body may have taken long. Of a
 * late bill it holds the time of the work that it is for, which is as long; it began, and became due, when that was done.
 */
const endedAtMs = `greatest(
  extract(epoch from began_at) * 1000,
  ('x' || left(replace(event_id::text, '-', ''), 12))::bit(48)::bigint + duration_ms)`;

/** Nano-USD, of rows that the database has. @throws SluiceError database_unavailable */
export async function spentNano(
  database: Database,
  { accountId, apiKeyId, memberId }: SpentBy,
  { from, endedBefore }: SpentWhen,
): Promise<bigint> {
  const [row] = await mapDatabaseErrors(() =>
    database.query<{ spent: string }>(
      `select coalesce(sum(cost_nano), 0)::text as spent from usage_logs
       where account_id = $1 and began_at >= $2 and ($3::uuid is null or api_key_id = $3)
       and ($4::uuid is null or member_id = $4) and ${endedAtMs} < $5`,
      [accountId, new Date(from), apiKeyId ?? null, memberId ?? null, endedBefore],
    ),
  );
  return BigInt(row?.spent ?? 0);
}

/** Whether a record is in the usage log already. @throws SluiceError database_unavailable */
export async function isStored(
  database: Database,
  { event_id: eventId, began_at: beganAt }: Pick<UsageRecord, 'event_id' | 'began_at'>,
): Promise<boolean> {
  const rows = await mapDatabaseErrors(() =>
    database.query('select 1 from usage_logs where event_id = $1 and began_at = $2', [eventId, beganAt]),
  );
  return rows.length > 0;
}
