/** A row of the log in PostgreSQL's format. */
export interface ExportRow {
  readonly event_id: string;
  /** Milliseconds since the epoch. */
  readonly began_ms: string;
  readonly api_key_id: string;
  readonly member_id: string | null;
  readonly capability: string;
  readonly protocol: string | null;
  readonly model: string;
  readonly requested_model: string;
  readonly provider: string;
  readonly status: string;
  readonly http_status: number;
  readonly error_code: string | null;
  readonly streamed: boolean;
  readonly estimated: boolean;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_tokens: number;
  readonly reasoning_tokens: number;
  readonly units: object | null;
  /** Nano-USD. */
  readonly cost_nano: string;
  readonly price_version: string;
  readonly finish_reason: string | null;
  readonly duration_ms: number;
  readonly first_token_ms: number | null;
  readonly end_user: string | null;
  readonly tags: object | null;
  readonly session_id: string | null;
  readonly parent_id: string | null;
  readonly trace_id: string | null;
  /** How many requests it counts. */
  readonly requests: number;
  /** Only read for its column. */
  readonly api_key_name?: string | null;
  /** Only read for its column. */
  readonly feedback?: object | null;
}

/** Column types, mapped by each format. */
export type ExportType = 'text' | 'integer' | 'boolean' | 'time' | 'json' | 'usd';
export type ExportValue = string | number | boolean | Date | object | bigint | null;

export interface ExportColumn {
  readonly name: string;
  readonly type: ExportType;
  of(row: ExportRow): ExportValue;
}

/** The columns of every format unless some are chosen, in order; only the cost has another name in Parquet. */
export const exportColumns: readonly ExportColumn[] = [
  { name: 'request_id', type: 'text', of: (row) => `req_${row.event_id.replaceAll('-', '')}` },
  { name: 'created_at', type: 'time', of: (row) => new Date(Number(row.began_ms)) },
  { name: 'api_key_id', type: 'text', of: (row) => row.api_key_id },
  { name: 'member_id', type: 'text', of: (row) => row.member_id },
  { name: 'capability', type: 'text', of: (row) => row.capability },
  { name: 'model', type: 'text', of: (row) => row.model },
  { name: 'requested_model', type: 'text', of: (row) => row.requested_model },
  { name: 'provider', type: 'text', of: (row) => row.provider },
  { name: 'status', type: 'text', of: (row) => row.status },
  { name: 'http_status', type: 'integer', of: (row) => row.http_status },
  { name: 'error_code', type: 'text', of: (row) => row.error_code },
  { name: 'streamed', type: 'boolean', of: (row) => row.streamed },
  { name: 'estimated', type: 'boolean', of: (row) => row.estimated },
  { name: 'input_tokens', type: 'integer', of: (row) => row.input_tokens },
  { name: 'output_tokens', type: 'integer', of: (row) => row.output_tokens },
  { name: 'cached_tokens', type: 'integer', of: (row) => row.cached_tokens },
  { name: 'reasoning_tokens', type: 'integer', of: (row) => row.reasoning_tokens },
  { name: 'units', type: 'json', of: (row) => row.units },
  { name: 'cost_usd', type: 'usd', of: (row) => BigInt(row.cost_nano) },
  { name: 'price_version', type: 'text', of: (row) => row.price_version },
  { name: 'finish_reason', type: 'text', of: (row) => row.finish_reason },
  { name: 'duration_ms', type: 'integer', of: (row) => row.duration_ms },
  { name: 'first_token_ms', type: 'integer', of: (row) => row.first_token_ms },
  { name: 'end_user', type: 'text', of: (row) => row.end_user },
  { name: 'tags', type: 'json', of: (row) => row.tags },
  { name: 'requests', type: 'integer', of: (row) => row.requests },
  { name: 'protocol', type: 'text', of: (row) => row.protocol },
  { name: 'session_id', type: 'text', of: (row) => row.session_id },
  { name: 'parent_id', type: 'text', of: (row) => row.parent_id },
  { name: 'trace_id', type: 'text', of: (row) => row.trace_id },
];

/** Further columns, which are read from other tables: only where they are chosen. */
const furtherColumns: readonly ExportColumn[] = [
  { name: 'api_key_name', type: 'text', of: (row) => row.api_key_name ?? null },
  { name: 'feedback', type: 'json', of: (row) => row.feedback ?? null },
];
const furtherSql: Readonly<Record<string, string>> = {
  api_key_name:
    '(select api_keys.name from api_keys where api_keys.id = api_key_id and api_keys.account_id = usage_logs.account_id) as api_key_name',
  feedback: `(select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('name', said.name, 'value', said.value, 'comment', said.comment)) order by said.created_at, said.id)
    from feedback as said where said.account_id = usage_logs.account_id and said.event_id = usage_logs.event_id) as feedback`,
};

const columnsByName = new Map([...exportColumns, ...furtherColumns].map((column) => [column.name, column]));
/** Every column that can be chosen. */
export const exportColumnNames: readonly string[] = [...columnsByName.keys()];

/** @returns null if a name is unknown */
export function chosenColumns(names: readonly string[]): readonly ExportColumn[] | null {
  const columns = [...new Set(names)].flatMap((name) => columnsByName.get(name) ?? []);
  return columns.length === new Set(names).size ? columns : null;
}

/** SQL of the columns that are not of the row itself. */
export function furtherSelected(columns: readonly ExportColumn[]): string {
  return columns
    .flatMap(({ name }) => furtherSql[name] ?? [])
    .map((sql) => `, ${sql}`)
    .join('');
}
