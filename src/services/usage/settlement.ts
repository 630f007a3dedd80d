import { classWeights, durationBounds } from './durations.ts';
import { rollUpAttempts, tried } from './attempt-rollups.ts';
import { cacheSums } from './cache-figures.ts';
import { speedWeight, timedOutputMs, timedTokens } from './output-speed.ts';
import { isExecuted, requestCount } from './request-count.ts';
import { daySpans, QUARTER_SPAN } from './spans.ts';

/** Maximum lengths of names and texts that clients choose: an index row is limited to 2704 bytes. In characters. */
const maxLengths = { model: 256, endUser: 256, tagName: 64, tagValue: 200 };

/** Columns of a usage record, with their types in JSON. */
const columns = {
  event_id: 'uuid',
  began_at: 'timestamptz',
  account_id: 'uuid',
  api_key_id: 'uuid',
  member_id: 'uuid',
  capability: 'text',
  protocol: 'text',
  model: 'text',
  requested_model: 'text',
  provider: 'text',
  status: 'text',
  http_status: 'smallint',
  error_code: 'text',
  streamed: 'boolean',
  estimated: 'boolean',
  input_tokens: 'integer',
  output_tokens: 'integer',
  cached_tokens: 'integer',
  reasoning_tokens: 'integer',
  units: 'jsonb',
  cost_nano: 'bigint',
  cache_savings_nano: 'bigint',
  price_version: 'text',
  rates: 'jsonb',
  markup_ppm: 'integer',
  finish_reason: 'text',
  duration_ms: 'integer',
  admitted_ms: 'integer',
  first_token_ms: 'integer',
  last_output_ms: 'integer',
  end_user: 'text',
  tags: 'jsonb',
  session_id: 'text',
  parent_id: 'text',
  trace_id: 'text',
  content_level: 'text',
  attempts: 'jsonb',
  routing: 'jsonb',
} as const;

type Column = keyof typeof columns;
const isColumn = (name: string): name is Column => name in columns;
const columnNames = Object.keys(columns).filter(isColumn);
const names = columnNames.join(', ');
/** Fields of a record beyond its row. */
const beside = { day_at: 'timestamptz', day_minutes: 'smallint', of_key: 'integer', of_route: 'integer' } as const;
/** Fields that a record may replace by references, per reference. */
const leftTo = {
  of_key: ['account_id', 'api_key_id', 'member_id', 'markup_ppm'],
  of_route: ['capability', 'protocol', 'model', 'requested_model', 'provider', 'streamed', 'price_version', 'rates'],
} as const satisfies Record<string, readonly Column[]>;

const declared = (types: Readonly<Record<string, string>>): string =>
  Object.entries(types)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ');
const commonOf = (number: keyof typeof leftTo): string => {
  const types = Object.fromEntries(leftTo[number].map((name) => [name, columns[name]]));
  return `left join json_to_recordset($2::text::json) as ${number}(common integer, ${declared(types)}) on ${number}.common = own.${number}`;
};
const incoming = `json_to_recordset($1::text::json) as own(${declared({ ...columns, ...beside })}) ${commonOf('of_key')} ${commonOf('of_route')}`;

function valueOf(name: Column): string {
  const common = Object.entries(leftTo).find(([, left]) => left.some((each) => each === name))?.[0];
  return common === undefined ? `own.${name}` : `coalesce(own.${name}, ${common}.${name})`;
}

const cut: Readonly<Partial<Record<Column, number>>> = { model: maxLengths.model, end_user: maxLengths.endUser };
const values = columnNames
  .map((name) => (cut[name] === undefined ? valueOf(name) : `left(${valueOf(name)}, ${cut[name]})`) + ` as ${name}`)
  .join(', ');

/** The key of a roll-up row, in the order of its primary key; see UsageFigures. */
const dimensions = [
  'account_id',
  'by_key',
  'span',
  'bucket',
  'api_key_id',
  'member_id',
  'capability',
  'model',
  'provider',
] as const;

/** The sums, and their expressions. */
const sums: Readonly<Record<string, string>> = {
  requests: 'sum(request_count)',
  errors: "coalesce(sum(request_count) filter (where status in ('failed', 'interrupted', 'rejected')), 0)",
  input_tokens: 'sum(input_tokens)',
  output_tokens: 'sum(output_tokens)',
  cached_tokens: 'sum(cached_tokens)',
  reasoning_tokens: 'sum(reasoning_tokens)',
  cost_nano: 'sum(cost_nano)',
  duration_ms: 'coalesce(sum(duration_ms) filter (where duration_weight is not null), 0)',
  first_token_ms: 'coalesce(sum(first_token_ms), 0)',
  durations: 'coalesce(sum(duration_weight), 0)',
  first_tokens: 'coalesce(sum(first_token_weight), 0)',
  streamed_tokens: 'coalesce(sum(timed_tokens), 0)',
  streamed_ms: 'coalesce(sum(timed_output_ms), 0)',
  output_speeds: 'coalesce(sum(speed_weight), 0)',
  ...cacheSums('request_count'),
};

const nobody = "'00000000-0000-0000-0000-000000000000'::uuid";

/** Shared properties of requests, before the interval is applied. */
const commons = [
  'account_id',
  'day_span',
  'day_bucket',
  'quarter',
  'api_key_id',
  'member_id',
  'capability',
  'model',
  'provider',
] as const;
const ofTag = ['tag_name', 'tag_value'] as const;
const levels = '(values (true, true), (true, false), (false, true), (false, false)) as levels(by_day, by_key)';

/** Requests of a batch share many properties: shared groups are summed once, then counted at each level. */
function grouped(from: string, also: readonly string[] = []): string {
  const keys = [...commons, ...also].join(', ');
  const figures = Object.entries(sums).map(([name, sum]) => `${sum} as ${name}`);
  return `select ${keys}, ${figures.join(', ')} from ${from} group by ${keys}`;
}

function atEachLevel(from: string, also: readonly string[] = []): string {
  return `select by_key, case when by_day then day_span else ${QUARTER_SPAN}::smallint end as span,
    case when by_day then day_bucket else quarter end as bucket, account_id, case when by_key then api_key_id else ${nobody} end as api_key_id,
    case when by_key then member_id else ${nobody} end as member_id, ${['capability', 'model', 'provider', ...also, ...Object.keys(sums)].join(', ')}
  from ${from} cross join ${levels}`;
}

/** In the order of the primary key, so that concurrent statements cannot deadlock. */
function rollUp(table: string, keys: readonly string[], from: string): string {
  const figures = Object.keys(sums);
  const updates = figures.map((name) => `${name} = ${table}.${name} + excluded.${name}`);
  const numbers = keys.map((_, index) => index + 1).join(', ');
  return `insert into ${table} (${[...keys, ...figures].join(', ')})
  select ${[...keys, ...figures.map((name) => `sum(${name})`)].join(', ')} from ${from} group by ${numbers} order by ${numbers}
  on conflict (${keys.join(', ')}) do update set ${updates.join(', ')}`;
}

const weight = (column: string): string =>
  `('{${classWeights.join(',')}}'::numeric[])[width_bucket(${column}, '{${durationBounds.join(',')}}'::int[]) + 1]`;
/** A UTC day, for requests that state no other. */
const DAY_SPAN = 1_440;
const binned = (minutes: number): string =>
  `date_bin(${minutes} * interval '1 minute', began_at, '2000-01-01T00:00:00Z')`;

/** How precisely the last use of a key is recorded: a busy key's row must not be written with every batch. */
const LAST_USE_WITHIN = '10 seconds';

/**
 * One statement stores rows, roll-ups, ledger postings and the keys' last use atomically; only rows that did not exist yet
 * count. Its parameters are JSON arrays: usage records, and what they reference. The conflict names no key: the statement works
 * also while a later version changes it.
 */
export const settle = `
with incoming as (select ${values}, day_at, day_minutes from ${incoming}),
stored as (
  insert into usage_logs (${names}) select ${names} from incoming
  on conflict do nothing
  returning event_id, account_id, api_key_id, member_id, began_at, capability, model, provider, status, input_tokens, output_tokens, cached_tokens, reasoning_tokens, cost_nano, cache_savings_nano, price_version, duration_ms, first_token_ms, tags, units, streamed, attempts
),
last_uses as (
  select id, at from (select api_key_id as id, max(began_at) as at from stored where ${isExecuted} group by api_key_id) as last join api_keys using (id)
  where last_used_at is null or last_used_at < at - interval '${LAST_USE_WITHIN}'
  order by id for no key update of api_keys
),
used as (update api_keys set last_used_at = last_uses.at from last_uses where api_keys.id = last_uses.id),
days as (
  select distinct on (event_id, began_at) event_id, began_at, day_at, day_minutes from incoming
  where day_minutes in (${daySpans.join(', ')}) and began_at >= day_at and began_at < day_at + day_minutes * interval '1 minute'
),
weighed as (
  select stored.account_id, stored.api_key_id, coalesce(stored.member_id, ${nobody}) as member_id, stored.capability, stored.model, stored.provider,
    status, input_tokens, output_tokens, cached_tokens, reasoning_tokens, cost_nano, cache_savings_nano, price_version, duration_ms, first_token_ms, tags,
    ${requestCount} as request_count,
    case when ${isExecuted} then ${weight('duration_ms')} end as duration_weight, ${weight('first_token_ms')} as first_token_weight,
    ${speedWeight} as speed_weight, ${timedTokens} as timed_tokens, ${timedOutputMs} as timed_output_ms,
    coalesce(day_minutes, ${DAY_SPAN})::smallint as day_span, coalesce(day_at, ${binned(DAY_SPAN)}) as day_bucket, ${binned(QUARTER_SPAN)} as quarter
  from stored left join days using (event_id, began_at)
),
tagged as (
  select weighed.*, left(tag.key, ${maxLengths.tagName}) as tag_name, left(tag.value, ${maxLengths.tagValue}) as tag_value
  from weighed cross join lateral jsonb_each_text(case jsonb_typeof(tags) when 'object' then tags end) as tag
  where tags is not null
),
alike as (${grouped('weighed')}),
counted as (${atEachLevel('alike')}),
alike_by_tag as (${grouped('tagged', ofTag)}),
counted_by_tag as (${atEachLevel('alike_by_tag', ofTag)}),
rolled_up as (${rollUp('usage_rollups', dimensions, 'counted')}),
rolled_up_by_tag as (${rollUp('usage_tag_rollups', [...dimensions, ...ofTag], 'counted_by_tag')}),
tried as (${tried}),
attempted as (${rollUpAttempts}),
costs as (select account_id, sum(cost_nano)::bigint as cost from stored group by account_id having sum(cost_nano) <> 0),
posted as (
  insert into ledger_postings (account_id, kind) select account_id, 'settlement' from costs order by account_id
  returning id, account_id
),
sides as (
  select posted.id, account_id, side.book, side.amount
  from posted join costs using (account_id) cross join lateral (values ('wallet', -cost), ('usage', cost)) as side(book, amount)
),
entered as (
  insert into ledger_entries (posting_id, book, account_id, amount_nano) select id, book, account_id, amount from sides
)
insert into ledger_balances (account_id, book, amount_nano) select account_id, book, amount from sides order by 1, 2
on conflict (account_id, book) do update set amount_nano = ledger_balances.amount_nano + excluded.amount_nano`;

/** Creates the partitions for the months of the given records. */
export const ensurePartitions = `
select ensure_usage_partition(month) from (select distinct date_trunc('month', began_at at time zone 'UTC') at time zone 'UTC' as month from json_to_recordset($1::text::json) as row(began_at timestamptz)) as months`;
