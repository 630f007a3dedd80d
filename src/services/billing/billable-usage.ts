import type { Period } from '../../calendar/period.ts';
import { explainCost } from '../../catalogue/prices/explain-cost.ts';
import type { TokenRates, UsageUnits } from '../../catalogue/prices/token-rates.ts';
import type { Database } from '../../database/database.ts';

/** Limits of billed usage: it began before one time and was stored before another. In milliseconds since the epoch. */
export interface BilledBefore {
  readonly began: number;
  readonly stored: number;
}

export interface UsageSum {
  /** Whether it belongs to an earlier period. */
  readonly late: boolean;
  readonly model: string;
  readonly capability: string;
  /** `token`, `request`, `image`, `audio_second` … */
  readonly unit: string;
  /** A decimal. */
  readonly quantity: string;
  /** Nano-USD. */
  readonly amountNano: bigint;
}

export interface UsageSpan {
  readonly accountId: string;
  /** The limits of what was billed already, which is excluded. */
  readonly before: BilledBefore | null;
  /** The limits of what is billed now. */
  readonly upTo: BilledBefore;
  /** The start of the period: usage that began earlier is late. */
  readonly start: number;
}

/** The unit of a row that has a single one; `mixed` rows are split by their rates. */
const unit = `
case
  when rates->>'request' is not null then 'mixed'
  when coalesce(jsonb_array_length(units->'media'), 0) = 0 then 'token'
  when jsonb_array_length(units->'media') = 1 and input_tokens + output_tokens = 0 then units->'media'->0->>'unit'
  else 'mixed'
end`;
const quantity = `case when coalesce(jsonb_array_length(units->'media'), 0) = 0 then input_tokens::bigint + output_tokens else (units->'media'->0->>'quantity')::numeric end`;

const chosen = `account_id = $1 and began_at >= $2 and began_at < $3 and settled_at >= $4 and settled_at < $5 and cost_nano <> 0`;

const sums = `
select began_at < $6 as late, model, capability, unit, trim_scale(sum(quantity)) as quantity, sum(cost_nano) as amount
from (
  select began_at, model, capability, cost_nano, ${unit} as unit, ${quantity} as quantity from usage_logs where ${chosen}
) as counted
where unit <> 'mixed' group by 1, 2, 3, 4`;

const mixedPage = `
select event_id, (extract(epoch from began_at) * 1000)::bigint as began_ms, began_at < $6 as late, model, capability, cost_nano,
  input_tokens, output_tokens, cached_tokens, reasoning_tokens, units, rates, markup_ppm
from usage_logs where ${chosen} and ${unit} = 'mixed' and began_at >= $7 and (began_at, event_id) > ($7, $8)
order by began_at, event_id limit $9`;

const rowBehind = `
select (extract(epoch from began_at) * 1000)::bigint as began_ms from usage_logs
where account_id = $1 and began_at >= $2 and began_at < $3 order by began_at offset $4 limit 1`;

interface MixedRow {
  readonly event_id: string;
  readonly began_ms: string;
  readonly late: boolean;
  readonly model: string;
  readonly capability: string;
  readonly cost_nano: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_tokens: number;
  readonly reasoning_tokens: number;
  readonly units: UsageUnits | null;
  readonly rates: TokenRates | null;
  readonly markup_ppm: number | null;
}

/** Some rows of an account; times in milliseconds since the epoch. */
interface Slice {
  readonly began: Period;
  readonly stored: Period;
}

/** Maximum rows per statement, so that it finishes within the statement timeout for any amount of usage. */
const SLICE_ROWS = 100_000;
const PAGE_ROWS = 1_000;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';
/** Quantities of media are counted in thousandths. */
const THOUSANDTHS = 1_000;

interface Sum {
  quantityThousandths: bigint;
  amountNano: bigint;
}

/**
 * An account's usage that is not billed yet, by model, capability and unit; usage without a cost is omitted. The amounts sum
 * to the cost of the rows, exact to the nano-USD: rows stored before a past time do not change while slices are read.
 */
export async function billableUsage(
  database: Database,
  span: UsageSpan,
  sliceRows = SLICE_ROWS,
): Promise<readonly UsageSum[]> {
  const found = new Map<string, Omit<UsageSum, 'quantity' | 'amountNano'> & Sum>();
  const add = (
    key: Omit<UsageSum, 'quantity' | 'amountNano'>,
    quantityThousandths: bigint,
    amountNano: bigint,
  ): void => {
    const { late, model, capability, unit: counted } = key;
    const id = JSON.stringify([late, model, capability, counted]);
    const sum = found.get(id) ?? { late, model, capability, unit: counted, quantityThousandths: 0n, amountNano: 0n };
    sum.quantityThousandths += quantityThousandths;
    sum.amountNano += amountNano;
    found.set(id, sum);
  };
  for await (const { began, stored } of slicesOf(database, span, sliceRows)) {
    const bounds = [began.start, began.end, stored.start, stored.end, span.start];
    const values = [span.accountId, ...bounds.map((moment) => new Date(moment))];
    const rows = await database.query<Omit<UsageSum, 'amountNano'> & { amount: string }>(sums, values);
    for (const row of rows) add(row, thousandthsOf(row.quantity), BigInt(row.amount));
    for await (const row of mixedRows(database, values))
      for (const [counted, part] of partsOf(row))
        add({ ...row, unit: counted }, part.quantityThousandths, part.amountNano);
  }
  return [...found.values()]
    .map(({ quantityThousandths, ...sum }) => ({ ...sum, quantity: decimalOf(quantityThousandths) }))
    .toSorted(inOrder);
}

/**
 * Each row is in one slice of one invoice, because neither limit ever decreases. Rows that began in the billed time are found
 * by when they were stored: they are few.
 */
async function* slicesOf(
  database: Database,
  { accountId, before, upTo }: UsageSpan,
  sliceRows: number,
): AsyncGenerator<Slice> {
  if (before !== null)
    yield { began: { start: 0, end: before.began }, stored: { start: before.stored, end: upTo.stored } };
  for (let start = before?.began ?? 0; start < upTo.began;) {
    const values = [accountId, new Date(start), new Date(upTo.began), sliceRows];
    const [behind] = await database.query<{ began_ms: string }>(rowBehind, values);
    const end = behind === undefined ? upTo.began : Math.max(Number(behind.began_ms), start + 1);
    yield { began: { start, end }, stored: { start: 0, end: upTo.stored } };
    start = end;
  }
}

/** Rows that have to be split one by one. */
async function* mixedRows(database: Database, values: readonly unknown[]): AsyncGenerator<MixedRow> {
  let after = { beganAt: new Date(0), eventId: NIL_UUID };
  for (;;) {
    const page = await database.query<MixedRow>(mixedPage, [...values, after.beganAt, after.eventId, PAGE_ROWS]);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_ROWS) return;
    after = { beganAt: new Date(Number(last.began_ms)), eventId: last.event_id };
  }
}

/** A row's cost by unit: each unit includes its markup, and an unexplained remainder is added to the first unit. */
function partsOf(row: MixedRow): ReadonlyMap<string, Sum> {
  const cost = BigInt(row.cost_nano);
  const steps =
    row.rates === null ? [] : explainCost(row.rates, usedBy(row)).filter(({ unit: of }) => of !== 'percent');
  const parts = new Map<string, Sum>();
  for (const { unit: counted, quantity: count, amountNano } of steps) {
    const part = parts.get(counted) ?? { quantityThousandths: 0n, amountNano: 0n };
    part.quantityThousandths += BigInt(Math.round(count * THOUSANDTHS));
    part.amountNano += amountNano;
    parts.set(counted, part);
  }
  const plain = [...parts.values()].reduce((sum, { amountNano }) => sum + amountNano, 0n);
  if (plain <= 0n) return new Map([['request', { quantityThousandths: BigInt(THOUSANDTHS), amountNano: cost }]]);
  let [plainSoFar, shared] = [0n, 0n];
  for (const part of parts.values()) {
    plainSoFar += part.amountNano;
    const upToHere = (cost * plainSoFar) / plain;
    part.amountNano = upToHere - shared;
    shared = upToHere;
  }
  return parts;
}

function usedBy(row: MixedRow): Parameters<typeof explainCost>[1] {
  return {
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    audioInputTokens: 0,
    audioOutputTokens: 0,
    imageInputTokens: 0,
    imageOutputTokens: 0,
    ...row.units,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cachedTokens: row.cached_tokens,
    reasoningTokens: row.reasoning_tokens,
  };
}

function thousandthsOf(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.slice(0, 3).padEnd(3, '0'));
}

function decimalOf(thousandths: bigint): string {
  const digits = String(thousandths).padStart(4, '0');
  return `${digits.slice(0, -3)}.${digits.slice(-3)}`.replace(/\.?0+$/, '');
}

/** Late usage last; then by model, capability and unit. */
function inOrder(a: UsageSum, b: UsageSum): number {
  if (a.late !== b.late) return a.late ? 1 : -1;
  const [left, right] = [a, b].map(({ model, capability, unit: counted }) => `${model}\n${capability}\n${counted}`);
  return (left ?? '') < (right ?? '') ? -1 : 1;
}
