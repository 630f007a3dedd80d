import type { Database } from '../../database/database.ts';
import type { PostingKind } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { isUuid } from '../uuid.ts';

/** A posting for display. Amounts in nano-USD. */
export interface LatestPosting {
  readonly createdAt: Date;
  readonly kind: PostingKind;
  /** Always positive. */
  readonly amountNano: bigint;
  /** The change of the account's available balance. */
  readonly balanceNano: bigint;
  readonly reference: string | null;
  readonly description: string | null;
}

export interface PostingFilter {
  readonly limit: number;
  /** Only the posting with this reference. */
  readonly reference?: string | undefined;
}

interface Row {
  readonly created_ms: string;
  readonly kind: PostingKind;
  readonly amount: string;
  readonly balance: string;
  readonly reference: string | null;
  readonly description: string | null;
}

const latest = `
select (extract(epoch from created_at) * 1000)::bigint as created_ms, kind, reference, description,
  max(amount_nano) as amount, coalesce(sum(amount_nano) filter (where book = 'wallet'), 0) as balance
from (
  select * from ledger_postings
  where account_id = $1 and reference is not null and ($2::text is null or reference = $2) order by id desc limit $3
) as posting
join ledger_entries on posting_id = id
group by id, created_at, kind, reference, description order by id desc`;

/**
 * An account's postings, newest first, without settlements of usage, which are many and have no reference. @throws SluiceError
 * not_found for an invalid account id | database_unavailable
 */
export function latestPostings(
  database: Pick<Database, 'query'>,
  accountId: string,
  { limit, reference }: PostingFilter,
): Promise<readonly LatestPosting[]> {
  if (!isUuid(accountId)) throw new SluiceError('not_found', { values: { what: 'account' } });
  return mapDatabaseErrors(async () => {
    const rows = await database.query<Row>(latest, [accountId, reference ?? null, limit]);
    return rows.map(({ created_ms: createdMs, amount, balance, ...posting }) => ({
      ...posting,
      createdAt: new Date(Number(createdMs)),
      amountNano: BigInt(amount),
      balanceNano: BigInt(balance),
    }));
  });
}
