import type { EntityManager } from '@mikro-orm/postgresql';
import { Account, StoredResponse } from '../../database/entities/index.ts';
import type { NewResponse, RepeatableRequest } from '../../gateway/capabilities/responses/background/run-store.ts';
import type { ResponseObject } from '../../gateway/capabilities/responses/response-object.ts';
import { storableJson } from '../storable-json.ts';
import { jsonColumns } from '../unstored-rows/json-columns.ts';
import { beganAt, expiryOf } from '../unstored-rows/retention.ts';

/** A new row as statement parameter. Times in ISO 8601. */
export interface ResponseRow {
  readonly id: string;
  readonly account_id: string;
  readonly api_key_id: string;
  readonly member_id: string | null;
  readonly model: string;
  readonly status: StoredResponse['status'];
  readonly background: boolean;
  readonly previous_id: string | null;
  readonly input: StoredResponse['input'];
  readonly response: ResponseObject;
  readonly cost_nano: string | null;
  readonly created_at: string;
  readonly completed_at: string | null;
  readonly expires_at: string;
  readonly event_id: string | null;
  readonly request: RepeatableRequest | null;
}

const types: Readonly<Record<keyof ResponseRow, string>> = {
  id: 'uuid',
  account_id: 'uuid',
  api_key_id: 'uuid',
  member_id: 'uuid',
  model: 'text',
  status: 'text',
  background: 'boolean',
  previous_id: 'uuid',
  input: 'jsonb',
  response: 'jsonb',
  cost_nano: 'bigint',
  created_at: 'timestamptz',
  completed_at: 'timestamptz',
  expires_at: 'timestamptz',
  event_id: 'uuid',
  request: 'json',
};
const { names, declared } = jsonColumns(types);

/**
 * Inserts rows from `rowJson`: `$1` is a JSON array. PostgreSQL parses it, and leases start by its clock. Rows that already
 * exist are unchanged, because a statement may be repeated after its result was lost.
 */
export const insertRows = `
insert into responses (${names}, lease_until)
select ${names}, clock_timestamp() + lease_ms * interval '1 millisecond'
from json_to_recordset($1::text::json) as given(${declared}, lease_ms double precision)
on conflict (id) do nothing`;

/** @param leaseMs of a background response; null if it has finished @param request of a background response, to run it again */
export function rowJson(given: NewResponse, leaseMs: number | null, request: RepeatableRequest | null): string {
  const { id, key, model, previousId, input, response, costNano } = given;
  const begun = beganAt(id);
  return storableJson({
    id,
    account_id: key.accountId,
    api_key_id: key.id,
    member_id: key.memberId,
    model,
    status: response.status,
    background: leaseMs !== null,
    previous_id: previousId,
    input,
    response,
    cost_nano: costNano === null ? null : String(costNano),
    created_at: new Date(begun).toISOString(),
    completed_at: leaseMs === null ? new Date().toISOString() : null,
    expires_at: expiryOf(begun).toISOString(),
    event_id: leaseMs === null ? null : id,
    request,
    lease_ms: leaseMs,
  });
}

/** The entity of a row that is not stored yet. */
export function toStoredResponse(em: EntityManager, row: ResponseRow): StoredResponse {
  const { id, model, status, background, input, response } = row;
  const costNano = row.cost_nano === null ? null : BigInt(row.cost_nano);
  return em.create(
    StoredResponse,
    {
      id,
      account: em.getReference(Account, row.account_id),
      apiKeyId: row.api_key_id,
      memberId: row.member_id,
      model,
      status,
      background,
      previousId: row.previous_id,
      input,
      response,
      costNano,
      createdAt: new Date(row.created_at),
      completedAt: row.completed_at === null ? null : new Date(row.completed_at),
      expiresAt: new Date(row.expires_at),
    },
    { persist: false },
  );
}
