import type { Database } from '../../database/database.ts';
import type { DeferredReservation } from '../../gateway/limits/limit-store.ts';
import { mapDatabaseErrors } from '../database-availability.ts';

interface Row {
  readonly id: string;
  readonly reservedNano: string;
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly memberId: string | null;
}

const unsettled = `
select p.id, p.reserved_nano::text as "reservedNano", b.account_id as "accountId", b.api_key_id as "apiKeyId",
  b.member_id as "memberId"
from provider_batches p join batches b on b.id = p.batch_id
where p.stage <> 'delivered' and b.ended_at is null and ($1::uuid is null or b.account_id = $1)`;

/** What budgets reserve for batches at providers, of an account or of all. @throws SluiceError database_unavailable */
export async function providerBatchReservations(
  database: Database,
  accountId: string | null,
): Promise<DeferredReservation[]> {
  const rows = await mapDatabaseErrors(() => database.query<Row>(unsettled, [accountId]));
  return rows.map(({ id, reservedNano, accountId: account, apiKeyId: keyId, memberId }) => ({
    id,
    // Whether the account has an allowance is not known here.
    spender: { accountId: account, keyId, memberId, hasAllowance: true },
    costNano: BigInt(reservedNano),
  }));
}
