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

  it('has the chosen columns in their order, with names of keys and feedback', async () => {
    const name = '=HYPERLINK("https://example.com")';
    const { data } = await ask('{ apiKeys { nodes { id } } }', bearer(account.apiKey));
    const rename = `mutation { updateApiKey(input: { id: "${data.apiKeys.nodes[0].id}", name: ${JSON.stringify(name)} }) { id } }`;
    expect(await ask(rename, { cookie: account.cookie })).toMatchObject({ data: { updateApiKey: expect.anything() } });
    const said = `mutation { submitFeedback(input: { requestId: "${requestIds[1]}", boolean: false, comment: "+1" }) { id } }`;
    expect(await ask(said, { cookie: account.cookie })).toMatchObject({ data: { submitFeedback: expect.anything() } });
    const columns = 'columns=api_key_name,feedback,request_id&order=time_desc';
    const csv = await (await exported(`csv?${columns}`)).text();
    expect(csv.split('\r\n')[0]).toBe('api_key_name,feedback,request_id');
    const rows = parseCsv(csv);
    expect(rows.map((row) => row.request_id)).toEqual(requestIds.toReversed());
    expect(new Set(rows.map((row) => row.api_key_name))).toEqual(new Set([`'${name}`]));
    expect(rows.map((row) => row.feedback !== '')).toEqual([false, true, false]);
    const lines = (await (await exported(`jsonl?${columns}&feedback_equals=0`)).text()).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        api_key_name: name,
        feedback: [{ name: 'feedback', value: false, comment: '+1' }],
        request_id: requestIds[1],
      },
    ]);
    expect(parseCsv(await (await exported('csv?feedback=any')).text())).toHaveLength(1);
    expect(parseCsv(await (await exported('csv?feedback_above=0.5')).text())).toHaveLength(0);
    const parquet = await parquetReadObjects({ file: await (await exported(`parquet?${columns}`)).arrayBuffer() });
    expect(parquet.map((row) => row.request_id)).toEqual(requestIds.toReversed());
  });

  it.each([
    ['columns=request_id,secret', 'columns'],
    ['order=random', 'order'],
    ['feedback=none', 'feedback'],
    ['feedback_above=much', 'feedback_above'],
  ])('refuses %s', async (query, param) => {
    const response = await exported(`csv?${query}`);
    const { error }: Refusal = JSON.parse(await response.text());
    expect([response.status, error]).toMatchObject([400, { code: 'invalid_value', param }]);
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
