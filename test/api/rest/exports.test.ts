import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';
import { parseCsv } from '../../harness/parse-csv.ts';

let account: TestAccount;
const requestIds: string[] = [];

beforeAll(async () => {
  account = await newAccount();
  for (let sent = 0; sent < 3; sent++) {
    const response = await fetch(`${account.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...bearer(account.apiKey), 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hi' }], user: '=1+1' }),
    });
    await response.text();
    requestIds.push(response.headers.get('x-request-id') ?? '');
  }
  // Rows are stored after the response, without an event.
  await vi.waitFor(async () => expect(parseCsv(await (await exported('csv')).text())).toHaveLength(requestIds.length), {
    timeout: 120_000,
  });
});

afterAll(() => account.dispose());

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

function exported(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${account.url}/exports/usage.${path}`, { headers: bearer(account.apiKey), ...init });
}

interface Refusal {
  readonly error: { readonly code: string; readonly param: string | null };
}

async function refusalOf(response: Response): Promise<[number, string]> {
  const { error }: Refusal = JSON.parse(await response.text());
  return [response.status, error.code];
}

describe('the export of usage', () => {
  it.each([
    ['csv', 'text/csv; charset=utf-8; header=present'],
    ['jsonl', 'application/jsonl; charset=utf-8'],
    ['parquet', 'application/vnd.apache.parquet'],
  ])('is a download: %s', async (format, type) => {
    const response = await exported(format);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': type,
      'content-disposition': `attachment; filename="usage.${format}"`,
      'cache-control': 'private, no-store',
      'x-request-id': expect.stringMatching(/^req_/),
    });
    const head = await exported(format, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, type, '']);
  });

  it('contains the same requests in each format', async () => {
    const csv = parseCsv(await (await exported('csv')).text());
    const jsonl = (await (await exported('jsonl')).text()).trimEnd().split('\n');
    const parquet = await parquetReadObjects({ file: await (await exported('parquet')).arrayBuffer() });
    for (const rows of [csv, jsonl.map((line) => JSON.parse(line)), parquet])
      expect(rows.map((row) => row.request_id).toSorted()).toEqual(requestIds.toSorted());
    expect(csv[0]).toMatchObject({ model: 'sandbox/chat', end_user: "'=1+1", cost_usd: '0' });
    expect(parquet[0]).toMatchObject({ cost_nano_usd: 0n, end_user: '=1+1' });
  });

  it('can be limited by dates and timestamps', async () => {
    const rowsOf = async (query: string): Promise<number> =>
      parseCsv(await (await exported(`csv?${query}`)).text()).length;
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    expect(await rowsOf(`from=${tomorrow.slice(0, 10)}`)).toBe(0);
    expect(await rowsOf(`from=2026-01-01&to=${tomorrow}`)).toBe(3);
    expect(await rowsOf('from=2026-01-01T00:00:00+02:00&to=2026-01-02')).toBe(0);
  });

  it.each(['from=yesterday', 'to=2026-13-01', 'from=1', "to=2026-01-01' or true --"])('refuses %s', async (query) => {
    expect(await refusalOf(await exported(`csv?${query}`))).toEqual([400, 'invalid_value']);
  });

  it('requires permission to read usage', async () => {
    expect(await refusalOf(await exported('csv', { headers: {} }))).toEqual([401, 'unauthenticated']);
    expect(await refusalOf(await exported('csv', { headers: bearer('sk-sluice-x') }))).toEqual([
      401,
      'invalid_api_key',
    ]);
    const inference = await ask('mutation { createApiKey(input: { name: "i" }) { secret } }', bearer(account.apiKey));
    expect(await refusalOf(await exported('csv', { headers: bearer(inference.data.createApiKey.secret) }))).toEqual([
      403,
      'insufficient_scope',
    ]);
  });

  it('is that of the account, for a session', async () => {
    const rows = await exported('csv', { headers: { cookie: account.cookie } });
    expect(parseCsv(await rows.text())).toHaveLength(3);

    const other = await newAccount();
    const theirs = await exported('csv', { headers: { cookie: other.cookie } });
    expect(parseCsv(await theirs.text())).toEqual([]);
    const { data } = await ask('{ viewer { currentAccount { id } } }', { cookie: account.cookie });
    const headers = { cookie: other.cookie, 'x-sluice-account': data.viewer.currentAccount.id };
    expect(await refusalOf(await exported('csv', { headers }))).toEqual([404, 'not_found']);
    await other.dispose();
  });

  it('supports only reading', async () => {
    expect(await refusalOf(await exported('csv', { method: 'POST' }))).toEqual([405, 'method_not_supported']);
    expect(await refusalOf(await exported('xlsx'))).toEqual([404, 'unknown_url']);
  });
});

async function ask(query: string, headers: Record<string, string>) {
  const response = await fetch(`${account.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  });
  return JSON.parse(await response.text());
}
