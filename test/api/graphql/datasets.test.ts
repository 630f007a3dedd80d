import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { eventIdOf } from '../../../src/gateway/event-id.ts';
import { toGlobalId } from '../../../src/graphql/relay/global-id.ts';
import { joinTeam } from '../../browser/membership.ts';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })).optional(),
});
const costSchema = z.object({ extensions: z.object({ cost: z.object({ requested: z.number() }) }) });
type Credential = Readonly<Record<string, string>>;

const create = 'mutation ($name: String!) { createDataset(name: $name) { id } }';
const add = `mutation ($input: AddToDatasetInput!) {
  addToDataset(input: $input) { added skipped { usageLogId reason } dataset { itemCount } }
}`;
const read = `query ($id: ID!, $first: Int, $after: Cursor) { dataset(id: $id) { name itemCount items(first: $first, after: $after) {
  pageInfo { hasNextPage endCursor } nodes { id usageLogId messages output model redactions { name count } }
} } }`;

describe('datasets', () => {
  let account: TestAccount;
  let other: TestAccount;
  let datasetId = '';
  const logs: string[] = [];

  beforeAll(async () => {
    [account, other] = await Promise.all([newAccount(), newAccount()]);
    await ask('mutation { updateContentLogging(input: { level: FULL }) { id } }');
    datasetId = (await ask(create, { name: 'Mails' })).data.createDataset.id;
    for (const content of ['I am a@b.com', 'Second']) logs.push(await send(content));
  });

  afterAll(() => Promise.all([account.dispose(), other.dispose()]));

  const post = (query: string, variables: object, headers: Credential = bearer(account.apiKey)) =>
    fetch(`${account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query, variables }),
    });

  async function ask(query: string, variables: object = {}, credential: Credential = bearer(account.apiKey)) {
    const response = await post(query, variables, credential);
    const { data, errors } = answerSchema.parse(await response.json());
    return { data: data ?? {}, code: errors?.[0]?.extensions.code ?? null };
  }

  /** @returns the ID of its usage log, once that is stored */
  async function send(content: string): Promise<string> {
    const response = await fetch(`${account.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...bearer(account.apiKey), 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content }] }),
    });
    await response.text();
    const id = toGlobalId('UsageLog', eventIdOf(response.headers.get('x-request-id') ?? '') ?? '');
    const isStored = async (): Promise<boolean> =>
      (await ask('query ($id: ID!) { usageLog(id: $id) { id } }', { id })).data.usageLog !== null;
    await vi.waitUntil(isStored, 120_000);
    return id;
  }

  const exported = (params: Readonly<Record<string, string>>, credential: Credential = bearer(account.apiKey)) =>
    fetch(`${account.url}/exports/dataset.jsonl?${new URLSearchParams(params).toString()}`, { headers: credential });

  it('are filled with redacted copies of requests', async () => {
    const { data } = await ask(add, { input: { datasetId, usageLogIds: logs } });
    expect(data.addToDataset).toEqual({ added: 2, skipped: [], dataset: { itemCount: 2 } });
    const page = (await ask(read, { id: datasetId, first: 1 })).data.dataset.items;
    expect(page.nodes).toMatchObject([
      {
        usageLogId: logs[0],
        messages: [{ role: 'user', content: 'I am [redacted:email]' }],
        output: { role: 'assistant', content: expect.any(String) },
        model: 'sandbox/chat',
      },
    ]);
    const next = await ask(read, { id: datasetId, first: 5, after: page.pageInfo.endCursor });
    expect(next.data.dataset.items).toMatchObject({
      pageInfo: { hasNextPage: false },
      nodes: [{ messages: [{ content: 'Second' }] }],
    });
    expect((await ask(read, { id: datasetId, after: 'none' })).code).toBe('bad_user_input');
  });

  it('are read up to 8 MB by one operation', async () => {
    const id = (await ask(create, { name: 'Long' })).data.createDataset.id;
    await ask(add, { input: { datasetId: id, usageLogIds: [await send('x '.repeat(400_000))] } });
    const { data } = await ask('query ($id: ID!) { dataset(id: $id) { bytes items { nodes { id } } } }', { id });
    expect(data.dataset.bytes).toBeGreaterThan(800_000);
    const [item] = data.dataset.items.nodes;
    const times = (count: number, field: string) =>
      `query ($id: ID!) { ${Array.from({ length: count }, (_, at) => `a${at}: ${field}`).join(' ')} }`;
    const node = 'node(id: $id) { ... on DatasetItem { messages } }';
    expect((await ask(times(2, node), { id: item.id })).code).toBeNull();
    expect((await ask(times(12, node), { id: item.id })).code).toBe('operation_too_large');
    const page = 'dataset(id: $id) { items(first: 1) { nodes { messages } } }';
    expect((await ask(times(2, page), { id })).code).toBeNull();
    expect((await ask(times(12, page), { id })).code).toBe('operation_too_large');
    // Nothing of it is read for fields beside it.
    const beside = 'node(id: $id) { id ... on DatasetItem { usageLogId bytes createdAt } }';
    const { code, data: other } = await ask(times(12, beside), { id: item.id });
    expect(code).toBeNull();
    expect(other.a11).toMatchObject({ id: item.id, bytes: data.dataset.bytes });
    const listed = 'dataset(id: $id) { items(first: 1) { nodes { id bytes } } }';
    expect((await ask(times(12, listed), { id })).code).toBeNull();
    const costOf = async (query: string): Promise<number> => {
      const { extensions } = costSchema.parse(
        await (await post(query, { id }, { ...bearer(account.apiKey), 'x-sluice-query-cost': '1' })).json(),
      );
      return extensions.cost.requested;
    };
    // 1 for the dataset, 10 for the page, 50 for the items, and 2 for each of their contents.
    const read50 = (fields: string) =>
      costOf(`query ($id: ID!) { dataset(id: $id) { items(first: 50) { ${fields} } } }`);
    expect(await read50('nodes { id }')).toBe(61);
    expect(await read50('nodes { messages parameters output }')).toBe(61 + 50 * 6);
    await ask('mutation ($id: ID!) { deleteDataset(id: $id) }', { id });
  });

  it('refuse a cursor that is not valid, with the name of its argument', async () => {
    const first = Buffer.from('["x"]').toString('base64url');
    for (const [page, param] of [
      ['first: 1, after', 'after'],
      ['last: 1, before', 'before'],
    ] as const)
      for (const list of ['datasets', 'dataset(id: $id) { items']) {
        const query = `query ($id: ID!, $cursor: Cursor) { d: dataset(id: $id) { id } ${list}(${page}: $cursor) { nodes { id } } ${list === 'datasets' ? '' : '}'} }`;
        const response = await post(query, { id: datasetId, cursor: first });
        expect(await response.json()).toMatchObject({
          errors: [
            { message: 'The cursor is not valid for this list.', extensions: { code: 'bad_user_input', param } },
          ],
        });
      }
  });

  it('are exported as JSON Lines in each format', async () => {
    for (const format of ['plain', 'openai-fine-tuning', 'openai-evals']) {
      const response = await exported({ id: datasetId, format });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-disposition')).toBe('attachment; filename="dataset.jsonl"');
      const lines = (await response.text()).trim().split('\n');
      expect(lines).toHaveLength(2);
      expect(lines.map((line) => JSON.parse(line))[0]).toMatchObject(
        { plain: { metadata: {} }, 'openai-fine-tuning': { messages: [{}, {}] }, 'openai-evals': { item: {} } }[
          format
        ] ?? {},
      );
    }
    expect((await exported({ id: datasetId, unreadable: 'omit' })).status).toBe(200);
    expect((await exported({ id: datasetId, unreadable: 'show' })).status).toBe(400);
    expect((await exported({ id: datasetId, format: 'xml' })).status).toBe(400);
    expect((await exported({ format: 'plain' })).status).toBe(404);
    expect((await exported({ id: datasetId }, {})).status).toBe(401);
  });

  it('are of one account', async () => {
    const stranger = bearer(other.apiKey);
    expect((await ask(read, { id: datasetId }, stranger)).data).toEqual({ dataset: null });
    expect((await exported({ id: datasetId }, stranger)).status).toBe(404);
    expect((await ask(add, { input: { datasetId, usageLogIds: logs } }, stranger)).code).toBe('not_found');
    const theirs = (await ask(create, { name: 'Theirs' }, stranger)).data.createDataset.id;
    const { data } = await ask(add, { input: { datasetId: theirs, usageLogIds: logs } }, stranger);
    expect(data.addToDataset).toMatchObject({ added: 0, dataset: { itemCount: 0 } });
    expect(data.addToDataset.skipped.map(({ usageLogId }: { usageLogId: string }) => usageLogId)).toEqual(logs);
    const [item] = (await ask(read, { id: datasetId })).data.dataset.items.nodes;
    const remove = 'mutation ($id: ID!, $ids: [ID!]!) { removeDatasetItems(id: $id, itemIds: $ids) { itemCount } }';
    await ask(remove, { id: theirs, ids: [item.id] }, stranger);
    expect((await ask(remove, { id: datasetId, ids: [item.id] }, stranger)).code).toBe('not_found');
    const node = 'query ($id: ID!) { node(id: $id) { id } }';
    expect((await ask(node, { id: item.id }, stranger)).data).toEqual({ node: null });
    expect((await ask(node, { id: item.id })).data).toEqual({ node: { id: item.id } });
    expect((await ask(read, { id: datasetId })).data.dataset.itemCount).toBe(2);
  });

  it('are read by viewers, who do not change them, and not by the role billing', async () => {
    const person = (name: string) => ({
      name,
      email: `${name}-${crypto.randomUUID()}@example.com`,
      password: 'correct horse battery',
    });
    const viewer = { cookie: await joinTeam(account, person('vera'), 'VIEWER') };
    expect((await ask(read, { id: datasetId }, viewer)).data.dataset.itemCount).toBe(2);
    expect((await exported({ id: datasetId }, viewer)).status).toBe(200);
    expect((await ask(create, { name: 'No' }, viewer)).code).toBe('forbidden');
    expect((await ask(add, { input: { datasetId, usageLogIds: logs } }, viewer)).code).toBe('forbidden');
    const billing = { cookie: await joinTeam(account, person('bill'), 'BILLING') };
    expect((await ask(read, { id: datasetId }, billing)).code).toBe('forbidden');
    expect((await exported({ id: datasetId }, billing)).status).toBe(403);
  });

  it('lose items, which the audit log records as it does those that are added', async () => {
    const [item] = (await ask(read, { id: datasetId })).data.dataset.items.nodes;
    const remove = 'mutation ($id: ID!, $ids: [ID!]!) { removeDatasetItems(id: $id, itemIds: $ids) { itemCount } }';
    expect((await ask(remove, { id: datasetId, ids: [item.id] })).data.removeDatasetItems).toEqual({ itemCount: 1 });
    const { data } = await ask('{ auditLog(filter: { action: "dataset.*" }, first: 10) { nodes { action } } }');
    expect(data.auditLog.nodes.map(({ action }: { action: string }) => action)).toEqual([
      'dataset.items_removed',
      'dataset.deleted',
      'dataset.items_added',
      'dataset.created',
      'dataset.items_added',
      'dataset.created',
    ]);
  });

  it('end with zero retention', async () => {
    await ask('mutation { updateAccount(input: { zeroRetention: true }) { id } }');
    expect((await ask('{ datasets { nodes { id } } datasetStorage { itemCount } }')).data).toEqual({
      datasets: { nodes: [] },
      datasetStorage: { itemCount: 0 },
    });
    expect((await ask(create, { name: 'Again' })).code).toBe('zero_retention');
  });
});

function bearer(key: string): Credential {
  return { authorization: `Bearer ${key}` };
}
