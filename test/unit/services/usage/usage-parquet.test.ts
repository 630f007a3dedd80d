import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { expect, test } from 'vitest';
import { exportColumns, type ExportRow } from '../../../../src/services/usage/export/export-columns.ts';
import { parquetFile } from '../../../../src/services/usage/export/usage-parquet.ts';

const PAGE_ROWS = 200;

function row(number: number): ExportRow {
  return {
    event_id: randomUUID(),
    began_ms: String(Date.UTC(2026, 0, 1) + number),
    api_key_id: randomUUID(),
    member_id: null,
    capability: 'chat',
    protocol: 'chat-completions',
    model: `openai/gpt-${number % 7}`,
    requested_model: 'gpt',
    provider: 'openai',
    status: 'succeeded',
    http_status: 200,
    error_code: null,
    streamed: number % 2 === 0,
    estimated: false,
    input_tokens: number,
    output_tokens: 10,
    cached_tokens: 0,
    reasoning_tokens: 0,
    units: null,
    cost_nano: String(number * 1_000),
    price_version: 'snapshot',
    finish_reason: 'stop',
    duration_ms: 800,
    first_token_ms: null,
    end_user: null,
    tags: { team: `team ${number % 50}` },
    session_id: null,
    parent_id: null,
    trace_id: null,
    requests: 1,
  };
}

async function* pagesOf(rows: readonly ExportRow[]): AsyncGenerator<readonly ExportRow[]> {
  for (let first = 0; first < rows.length; first += PAGE_ROWS) yield rows.slice(first, first + PAGE_ROWS);
}

test('a Parquet file is written one column per turn of the event loop, in complete row groups', async () => {
  const rows = Array.from({ length: 12_000 }, (_each, index) => row(index));
  let [isWriting, turns] = [true, 0];
  const count = (): void => {
    turns++;
    if (isWriting) setImmediate(count);
  };
  setImmediate(count);
  const bytes = await buffer(parquetFile(pagesOf(rows), exportColumns));
  isWriting = false;
  const file = new Uint8Array(bytes).buffer;
  const { num_rows: total, row_groups: groups } = parquetMetadata(file);
  expect(total).toBe(12_000n);
  expect(groups.map((group) => [group.num_rows, group.columns.length])).toEqual(
    [10_000n, 2_000n].map((count) => [count, exportColumns.length]),
  );
  expect(turns).toBeGreaterThanOrEqual(groups.length * exportColumns.length);
  const read = await parquetReadObjects({ file, columns: ['api_key_id', 'input_tokens', 'cost_nano_usd'] });
  expect(read).toEqual(
    rows.map((each) => ({
      api_key_id: each.api_key_id,
      input_tokens: each.input_tokens,
      cost_nano_usd: BigInt(each.cost_nano),
    })),
  );
});
