import type { Database } from '../../database/database.ts';
import type { UsageRecord } from '../../gateway/usage/usage-record.ts';
import { mapDatabaseErrors } from '../database-availability.ts';

/** Whose spending is summed. */
export interface SpentBy {
  readonly accountId: string;
  /** All keys of the account where absent. */
  readonly apiKeyId?: string | undefined;
  readonly memberId?: string | undefined;
}

/** In milliseconds since the epoch. */
export interface SpentWhen {
  /** Requests that began at or after this time. */
  readonly from: number;
  /** Requests that ended before this time. */
  readonly endedBefore: number;
}

/**
 * An event's id contains the time at which its request arrived, from which its duration counts: receiving the body may take
 * long. For a deferred charge it contains the start of the work; the row began, and became due, at the end of it.
 */
const endedAtMs = `greatest(
  extract(epoch from began_at) * 1000,
  ('x' || left(replace(event_id::text, '-', ''), 12))::bit(48)::bigint + duration_ms)`;

/** Nano-USD, from stored rows. @throws SluiceError database_unavailable */
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

type UsageKey = Pick<UsageRecord, 'account_id' | 'event_id' | 'began_at'>;

/** Whether a record is already in the usage log. @throws SluiceError database_unavailable */
export async function isStored(
  database: Database,
  { account_id: accountId, event_id: eventId, began_at: beganAt }: UsageKey,
): Promise<boolean> {
  const rows = await mapDatabaseErrors(() =>
    database.query('select 1 from usage_logs where account_id = $1 and began_at = $2 and event_id = $3', [
      accountId,
      beganAt,
      eventId,
    ]),
  );
  return rows.length > 0;
}
