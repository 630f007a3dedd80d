/** A value under a master key. */
export interface SealedValue {
  /** Those of the row, as text, in the order of `keys`. */
  readonly row: readonly string[];
  /** Null where the account is part of no row. */
  readonly accountId: string | null;
  /** What the value is bound to beside the account; null where that follows from the row. */
  readonly boundTo: string | null;
  readonly value: Buffer;
}

/** How values of a column are encrypted: credentials, keys of contents, or parts of JSON that clients also have. */
export type SealKind = 'credentials' | 'content key' | 'encrypted_content';

/** A column with values under a master key. */
export interface SealedColumn {
  /** What it holds, in the plural. */
  readonly name: string;
  readonly kind: SealKind;
  readonly table: string;
  /** The columns of the primary key, with their types. */
  readonly keys: readonly (readonly [name: string, type: string])[];
  /** The value as bytes, as SQL. */
  readonly value: string;
  /** Sets the value to `$new`, as SQL. */
  readonly assignment: string;
  /** The account, as SQL. */
  readonly account: string;
  /** Beside the account, as SQL; absent where that follows from the row. */
  readonly boundTo?: string;
  /** Which rows have a value, as SQL. */
  readonly where: string;
}

const id = [['id', 'uuid']] as const;

function credentials(name: string, table: string, column: string): SealedColumn {
  return {
    name,
    kind: 'credentials',
    table,
    keys: id,
    ...bytesOf(column),
    account: 't.account_id',
    boundTo: 't.id::text',
  };
}

function totp(name: string, column: string): SealedColumn {
  return {
    name,
    kind: 'credentials',
    table: 'users',
    keys: id,
    ...bytesOf(column),
    account: 't.id',
    boundTo: "'totp'",
  };
}

function contentKeys(
  name: string,
  table: string,
  keys: SealedColumn['keys'],
  account: string,
  boundTo: string,
): SealedColumn {
  return { name, kind: 'content key', table, keys, ...bytesOf('wrapped_key'), account, boundTo };
}

function json(
  name: string,
  table: string,
  keys: SealedColumn['keys'],
  column: string,
  type: string,
  account: string,
): SealedColumn {
  const value = `convert_to(t.${column}::text, 'UTF8')`;
  const assignment = `${column} = convert_from($new, 'UTF8')::${type}`;
  return { name, kind: 'encrypted_content', table, keys, value, assignment, account, where: `t.${column} is not null` };
}

function bytesOf(column: string): Pick<SealedColumn, 'value' | 'assignment' | 'where'> {
  return { value: `t.${column}`, assignment: `${column} = $new`, where: `t.${column} is not null` };
}

const ofRun = '(select account_id from dataset_runs r where r.id = t.run_id)';
const ofResponse = '(select account_id from responses r where r.id = t.response_id)';

/** Every column with values under a master key; a test compares them with what is encrypted. */
export const sealedColumns: readonly SealedColumn[] = [
  credentials('credentials of provider connections', 'provider_connections', 'sealed_credentials'),
  credentials('signing secrets of webhooks', 'webhooks', 'sealed_secret'),
  credentials('targets of alert channels', 'alert_channels', 'sealed_target'),
  totp('secrets of authenticator apps', 'totp_secret'),
  totp('secrets of authenticator apps that are being set up', 'totp_draft'),
  {
    name: 'peppers of API keys',
    kind: 'credentials',
    table: 'master_key_versions',
    keys: [['version', 'smallint']],
    ...bytesOf('sealed_pepper'),
    account: "''",
    boundTo: "'master-key/' || t.version || '/pepper'",
  },
  {
    name: 'queued messages',
    kind: 'credentials',
    table: 'pgboss.job',
    keys: id,
    value: "decode(t.data ->> 'sealed', 'base64')",
    // PostgreSQL breaks lines of base64.
    assignment: String.raw`data = jsonb_set(t.data, '{sealed}', to_jsonb(replace(encode($new, 'base64'), E'\n', '')))`,
    account: "''",
    boundTo: "'send-mail'",
    where:
      "t.name = 'send-mail' and t.state::text in ('created', 'retry', 'active') and t.data ->> 'sealed' is not null",
  },
  contentKeys('keys of logged contents', 'logged_contents', [['event_id', 'uuid']], 't.account_id', 't.event_id::text'),
  contentKeys('keys of dataset items', 'dataset_items', id, 't.account_id', 't.id::text'),
  contentKeys(
    'keys of items of dataset runs',
    'dataset_run_items',
    [
      ['run_id', 'uuid'],
      ['line', 'integer'],
    ],
    ofRun,
    't.item_id::text',
  ),
  contentKeys(
    'keys of outputs of dataset runs',
    'dataset_run_outputs',
    [
      ['run_id', 'uuid'],
      ['line', 'integer'],
      ['model', 'integer'],
    ],
    ofRun,
    "t.run_id || '/' || t.line || '/' || t.model",
  ),
  json(
    'items of conversations',
    'conversation_items',
    [
      ['conversation_id', 'uuid'],
      ['item_id', 'text'],
    ],
    'item',
    'jsonb',
    't.account_id',
  ),
  json('inputs of responses', 'responses', id, 'input', 'jsonb', 't.account_id'),
  json('responses', 'responses', id, 'response', 'jsonb', 't.account_id'),
  json(
    'events of responses',
    'response_events',
    [
      ['response_id', 'uuid'],
      ['sequence_number', 'integer'],
    ],
    'event',
    'text',
    ofResponse,
  ),
];

/** Selects values under another master key than `version`, as a condition in SQL. */
export function isUnderOtherKey({ kind, value }: SealedColumn, version: number): string {
  const word = (at: number): string => `get_byte(${value}, ${at}) * 256 + get_byte(${value}, ${at + 1})`;
  switch (kind) {
    case 'credentials':
      // Format (1 byte), version.
      return `${word(1)} <> ${version}`;
    case 'content key':
      // Nonce (12), version minus 1; keys of another length are of version 1.
      return `(case when length(${value}) = 48 then ${word(12)} + 1 else 1 end) <> ${version}`;
    case 'encrypted_content':
      return `convert_from(${value}, 'UTF8') ~ '"encrypted_content": ?"sluice-(reasoning|compaction)-2\\.(?!${version}\\.)'`;
  }
}
