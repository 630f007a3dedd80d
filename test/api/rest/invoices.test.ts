import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseConfig } from '../../../src/config/config-file.ts';
import { openDatabase } from '../../../src/database/database.ts';
import { readPlans } from '../../../src/composition/gateway/read-plans.ts';
import { InvoiceClosing } from '../../../src/services/billing/invoices/invoice-closing.ts';
import { Ledger } from '../../../src/services/billing/ledger.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';
import { pdfText } from '../../harness/pdf-text.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

const plans = readPlans(parseConfig('sluice.yaml', 'plans: { enterprise: { monthly_fee: 200, allowance: 200 } }', {}));
const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })).optional(),
});
let server: ServerProcess;
let numbers: string[];

/** An owner whose account is two complete months old, with an invoice for each. */
beforeAll(async () => {
  const first = await startServer();
  await first.end('SIGTERM');
  const database = await openDatabase(first.database);
  const now = new Date();
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const began = new Date(Date.UTC(year, month - 2));
  // An invoice is issued an hour after the end of its month. The current month has none.
  const closedAt = Math.min(now.getTime() + 3_600_000, Date.UTC(year, month + 1) - 1);
  const [account] = await database.query<{ id: string }>(
    'update accounts set created_at = $1, plan_since = $1 returning id',
    [began],
  );
  const store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
  const began_at = new Date(began.getTime() + 86_400_000).toISOString();
  const cost_nano = '250000000001';
  await store.store(rowsJson([usageRecord({ account_id: account?.id ?? '', began_at, cost_nano, units: null })]));
  await database.query("update usage_logs set settled_at = now() - interval '1 hour'");
  const ledger = new Ledger(database);
  const clock = new FakeClock(closedAt);
  const closing = new InvoiceClosing({
    database,
    ledger,
    plans: () => plans,
    applyDue: async () => undefined,
    clock,
  });
  expect(await closing.closeDue()).toBe(2);
  const rows = await database.query<{ number: string }>('select number from invoices order by number');
  numbers = rows.map(({ number }) => number);
  await database.close();
  server = await first.restart();
});

afterAll(() => server.dispose());

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
const pdf = (number: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${server.url}/invoices/${number}.pdf`, { headers: bearer(server.apiKey), ...init });

async function ask(query: string, headers: Record<string, string>, variables: object = {}) {
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = answerSchema.parse(await response.json());
  return {
    data: data ?? {},
    code: errors?.[0]?.extensions.code ?? null,
    cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '',
  };
}

const list = `query ($first: Int, $after: Cursor) { account { balance { amount currency } } invoices(first: $first, after: $after) {
  nodes { id number status planName total { amount } pdfUrl paidAt lines { kind description model unit quantity amount { amount } } }
  pageInfo { hasNextPage endCursor } } }`;

describe('invoices', () => {
  it('are listed newest first, page by page, with their lines', async () => {
    const { data } = await ask(list, bearer(server.apiKey), { first: 1 });
    expect(data.account.balance).toEqual({ amount: '0', currency: 'USD' });
    expect(data.invoices.nodes).toMatchObject([{ number: numbers[1], total: { amount: '200' } }]);
    expect(data.invoices.pageInfo.hasNextPage).toBe(true);
    const after = data.invoices.pageInfo.endCursor;
    const { data: rest } = await ask(list, bearer(server.apiKey), { first: 5, after });
    expect(rest.invoices.pageInfo.hasNextPage).toBe(false);
    expect(rest.invoices.nodes).toMatchObject([
      {
        number: numbers[0],
        status: 'OPEN',
        planName: 'Enterprise',
        total: { amount: '250' },
        pdfUrl: `/invoices/${numbers[0]}.pdf`,
        paidAt: null,
        lines: [
          { kind: 'PLAN', model: null, quantity: null, amount: { amount: '200' } },
          { kind: 'USAGE', model: 'sandbox/chat', unit: 'token', quantity: '46', amount: { amount: '250.000000001' } },
          { kind: 'ALLOWANCE', amount: { amount: '-200' } },
          { kind: 'ROUNDING', quantity: null, amount: { amount: '-0.000000001' } },
        ],
      },
    ]);
    const one = 'query ($id: ID!) { invoice(id: $id) { number } }';
    const { id } = rest.invoices.nodes[0];
    expect((await ask(one, bearer(server.apiKey), { id })).data.invoice).toEqual({ number: numbers[0] });
    const node = 'query ($id: ID!) { node(id: $id) { ... on Invoice { number } } }';
    expect((await ask(node, bearer(server.apiKey), { id })).data.node).toEqual({ number: numbers[0] });
  });

  it('are downloads', async () => {
    const response = await pdf(numbers[0] ?? '');
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `inline; filename="invoice-${numbers[0]}.pdf"`,
      'cache-control': 'private, no-store',
    });
    const [page = []] = pdfText(Buffer.from(await response.arrayBuffer()));
    expect(page).toEqual(expect.arrayContaining(['Total', 'USD 250.00']));
    const head = await pdf(numbers[0] ?? '', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect((await pdf(numbers[0] ?? '', { method: 'POST' })).status).toBe(405);
    expect((await pdf('0000-0001')).status).toBe(404);
  });

  it('are accessible only for their account', async () => {
    const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { __typename } }';
    const input = { email: 'other@example.com', password: 'correct horse battery', name: 'Other' };
    const { cookie } = await ask(signUp, {}, { input });
    expect((await ask(list, { cookie })).data.invoices.nodes).toEqual([]);
    const { data } = await ask(list, bearer(server.apiKey));
    const one = 'query ($id: ID!) { invoice(id: $id) { number } }';
    expect((await ask(one, { cookie }, { id: data.invoices.nodes[0].id })).data.invoice).toBeNull();
    expect((await pdf(numbers[0] ?? '', { headers: { cookie } })).status).toBe(404);
    expect((await pdf(numbers[0] ?? '', { headers: {} })).status).toBe(401);
    const made = await ask('mutation { createApiKey(input: { name: "i" }) { secret } }', bearer(server.apiKey));
    const inference = bearer(made.data.createApiKey.secret);
    expect((await pdf(numbers[0] ?? '', { headers: inference })).status).toBe(403);
    expect((await ask(list, inference)).code).toBe('insufficient_scope');
  });
});
