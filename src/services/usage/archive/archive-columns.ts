import type { SchemaElement } from 'hyparquet-writer';
import { requestCount } from '../request-count.ts';

export type ArchiveValue = string | number | boolean | bigint | null;
/** A row as PostgreSQL returns it: integers of 64 bits are text. */
export type ArchiveRow = Readonly<Record<string, string | number | boolean | null>>;

type ArchiveType = 'text' | 'json' | 'integer' | 'boolean' | 'time' | 'usd';

export interface ArchiveColumn {
  readonly name: string;
  readonly type: ArchiveType;
  /** Selects the value. */
  readonly sql: string;
  readonly isNullable: boolean;
}

/** 18 digits fit into 64 bits. A request never costs a billion USD. */
const COST_SCALE = 9;
const COST_PRECISION = 18;
export const COST_COLUMN = 'cost_usd';

/**
 * IDs are text: Apache Spark reads no UUID type. JSON is text, which every reader can parse by its own functions. Times are in UTC.
 */
const elements: Readonly<Record<ArchiveType, Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  integer: { type: 'INT32' },
  boolean: { type: 'BOOLEAN' },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  usd: {
    type: 'INT64',
    converted_type: 'DECIMAL',
    precision: COST_PRECISION,
    scale: COST_SCALE,
    logical_type: { type: 'DECIMAL', precision: COST_PRECISION, scale: COST_SCALE },
  },
};

const micros = (column: string): string => `(extract(epoch from ${column}) * 1000000)::bigint::text`;

type Options = { readonly sql?: string; readonly isNullable?: boolean };
const column = (name: string, type: ArchiveType, { sql = name, isNullable = false }: Options = {}): ArchiveColumn => ({
  name,
  type,
  sql,
  isNullable,
});
const optional = (name: string, type: ArchiveType): ArchiveColumn => column(name, type, { isNullable: true });
const json = (name: string, isNullable = true): ArchiveColumn =>
  column(name, 'json', { sql: `${name}::text`, isNullable });

/** Every column of the usage log, in the order of the files. */
export const archiveColumns: readonly ArchiveColumn[] = [
  column('account_id', 'text'),
  column('began_at', 'time', { sql: micros('began_at') }),
  column('event_id', 'text'),
  column('api_key_id', 'text'),
  optional('member_id', 'text'),
  column('capability', 'text'),
  optional('protocol', 'text'),
  column('model', 'text'),
  column('requested_model', 'text'),
  column('provider', 'text'),
  column('status', 'text'),
  column('http_status', 'integer'),
  optional('error_code', 'text'),
  column('streamed', 'boolean'),
  column('estimated', 'boolean'),
  column('requests', 'integer', { sql: `${requestCount}::int` }),
  column('input_tokens', 'integer'),
  column('output_tokens', 'integer'),
  column('cached_tokens', 'integer'),
  column('reasoning_tokens', 'integer'),
  json('units'),
  column(COST_COLUMN, 'usd', { sql: 'cost_nano::text' }),
  column('cache_savings_usd', 'usd', { sql: 'cache_savings_nano::text', isNullable: true }),
  column('price_version', 'text'),
  json('rates'),
  optional('markup_ppm', 'integer'),
  optional('finish_reason', 'text'),
  column('duration_ms', 'integer'),
  optional('first_token_ms', 'integer'),
  optional('admitted_ms', 'integer'),
  optional('last_output_ms', 'integer'),
  optional('end_user', 'text'),
  json('tags'),
  optional('session_id', 'text'),
  optional('parent_id', 'text'),
  optional('trace_id', 'text'),
  optional('content_level', 'text'),
  json('attempts', false),
  json('routing'),
  column('settled_at', 'time', { sql: micros('settled_at') }),
];

export const selectedColumns = archiveColumns.map(({ name, sql }) => `${sql} as ${name}`).join(', ');

export const archiveSchema: SchemaElement[] = [
  { name: 'usage', num_children: archiveColumns.length },
  ...archiveColumns.map(({ name, type, isNullable }) => ({
    ...elements[type],
    name,
    repetition_type: isNullable ? ('OPTIONAL' as const) : ('REQUIRED' as const),
  })),
];

const MAX_NANO = 10n ** BigInt(COST_PRECISION) - 1n;

/** As the Parquet writer expects it. @throws RangeError if an amount has too many digits */
export function archivedValue({ name, type }: ArchiveColumn, row: ArchiveRow): ArchiveValue {
  const value = row[name] ?? null;
  if (typeof value !== 'string' || type === 'text' || type === 'json') return value;
  const number = BigInt(value);
  if (type === 'usd' && (number > MAX_NANO || number < -MAX_NANO))
    throw new RangeError(`${name} of the request ${String(row.event_id)} has more than ${COST_PRECISION} digits`);
  return number;
}

/** How the documentation and the manifest name the type. */
export function typeName(type: ArchiveType): string {
  if (type === 'usd') return `DECIMAL(${COST_PRECISION}, ${COST_SCALE})`;
  return { text: 'STRING', json: 'STRING (JSON)', integer: 'INT32', boolean: 'BOOLEAN', time: 'TIMESTAMP (µs, UTC)' }[
    type
  ];
}
