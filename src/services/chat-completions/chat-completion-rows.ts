import type { NewCompletion } from '../../gateway/capabilities/chat/storage/completion-store.ts';
import { storableJson } from '../storable-json.ts';
import { jsonColumns } from '../unstored-rows/json-columns.ts';
import { beganAt, expiryOf } from '../unstored-rows/retention.ts';
import type { UnstoredRow } from '../unstored-rows/row-queue.ts';

export type Metadata = Readonly<Record<string, string>>;

export type JsonObject = NewCompletion['messages'][number];

/** A stored chat completion. */
export interface ChatCompletionRow {
  /** A UUID; clients name it by its `completionId`. */
  readonly id: string;
  readonly completionId: string;
  /** As requested. */
  readonly model: string;
  readonly metadata: Metadata;
  /** Without its metadata. */
  readonly completion: JsonObject;
  /** Nano-USD; null if it is not known. */
  readonly costNano: bigint | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** The columns of a `ChatCompletionRow`, as they are read. */
export interface ReadRow extends Omit<ChatCompletionRow, 'costNano' | 'createdAt' | 'expiresAt'> {
  readonly costNano: string | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A new row as statement parameter. Times in ISO 8601. */
export interface InsertedRow {
  readonly id: string;
  readonly account_id: string;
  readonly api_key_id: string;
  readonly member_id: string | null;
  readonly completion_id: string;
  readonly model: string;
  readonly served_model: string | null;
  readonly metadata: Metadata;
  readonly messages: readonly JsonObject[];
  readonly completion: JsonObject;
  readonly cost_nano: string | null;
  readonly created_at: string;
  readonly expires_at: string;
}

const MAX_ID_LENGTH = 256;
const types: Readonly<Record<keyof InsertedRow, string>> = {
  id: 'uuid',
  account_id: 'uuid',
  api_key_id: 'uuid',
  member_id: 'uuid',
  completion_id: 'text',
  model: 'text',
  served_model: 'text',
  metadata: 'jsonb',
  messages: 'jsonb',
  completion: 'jsonb',
  cost_nano: 'bigint',
  created_at: 'timestamptz',
  expires_at: 'timestamptz',
};
const { names, declared } = jsonColumns(types);

/**
 * Inserts rows from `unstoredCompletion`: `$1` is a JSON array. A row that already exists is unchanged, because a statement may
 * be repeated after its result was lost.
 */
export const insertRows = `
insert into chat_completions (${names})
select ${names} from json_to_recordset($1::text::json) as given(${declared})
on conflict (id) do nothing`;

/** The columns of a `ReadRow`. */
export const columns = `id, completion_id as "completionId", model, metadata, completion, cost_nano::text as "costNano",
  (extract(epoch from created_at) * 1000)::float8 as "createdAt",
  (extract(epoch from expires_at) * 1000)::float8 as "expiresAt"`;

export function unstoredCompletion(given: NewCompletion): UnstoredRow {
  const { id, key, model, metadata, messages, completion, costNano } = given;
  const begun = beganAt(id);
  const json = storableJson({
    id,
    account_id: key.accountId,
    api_key_id: key.id,
    member_id: key.memberId,
    completion_id: completion.id,
    model,
    served_model: typeof completion.model === 'string' ? completion.model : null,
    metadata,
    messages,
    completion,
    cost_nano: costNano === null ? null : String(costNano),
    created_at: new Date(begun).toISOString(),
    expires_at: expiryOf(begun).toISOString(),
  });
  return { name: completion.id, accountId: key.accountId, apiKeyId: key.id, json };
}

/** Whether a completion can have this id: the database takes it as a parameter. */
export function isCompletionId(id: string): boolean {
  return id !== '' && id.length <= MAX_ID_LENGTH && id.isWellFormed() && !id.includes('\u0000');
}

export function toCompletionRow({ costNano, createdAt, expiresAt, ...row }: ReadRow): ChatCompletionRow {
  return {
    ...row,
    costNano: costNano === null ? null : BigInt(costNano),
    createdAt: new Date(createdAt),
    expiresAt: new Date(expiresAt),
  };
}

/** A row that is not stored yet. */
export function ofUnstored({ id, completion_id, model, metadata, completion, ...row }: InsertedRow): ChatCompletionRow {
  return {
    id,
    completionId: completion_id,
    model,
    metadata,
    completion,
    costNano: row.cost_nano === null ? null : BigInt(row.cost_nano),
    createdAt: new Date(row.created_at),
    expiresAt: new Date(row.expires_at),
  };
}
