import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Database } from '../../../src/database/database.ts';
import { Account } from '../../../src/database/entities/index.ts';
import { SluiceError } from '../../../src/errors/index.ts';
import { replayRequest } from '../../../src/gateway/replay/replay-request.ts';
import { replayResponse } from '../../../src/gateway/replay/replay-response.ts';
import { OperationContentBudget } from '../../../src/graphql/operation/content-budget.ts';
import { ContentSeal } from '../../../src/services/content-log/content-seal.ts';
import { LoggedContentsService } from '../../../src/services/content-log/logged-contents.service.ts';
import { SegmentStore } from '../../../src/services/content-log/segment-store.ts';
import { endRuns } from '../../../src/services/dataset-runs/end-runs.ts';
import { DatasetExport, type DatasetFormat } from '../../../src/services/datasets/dataset-export.ts';
import { DatasetReader } from '../../../src/services/datasets/dataset-reader.ts';
import { DatasetsService } from '../../../src/services/datasets/datasets.service.ts';
import { ItemCopies } from '../../../src/services/datasets/item-copies.ts';
import { AccountErasure } from '../../../src/services/members/account-erasure.ts';
import { AccountExport } from '../../../src/services/members/account-export.ts';
import { UsageService } from '../../../src/services/usage/usage.service.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { BlobStore } from '../../../src/storage/blob-store.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }];
const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } };

const lineSchema = z.record(z.string(), z.any());
type Line = z.infer<typeof lineSchema>;

describeWithDatabase('datasets', (databases) => {
  let database: Database;
  let folder: string;
  let store: SegmentStore;
  let reader: DatasetReader;
  let exports: DatasetExport;

  beforeAll(async () => {
    database = await databases.open();
    folder = await mkdtemp(join(tmpdir(), 'sluice-datasets-'));
    const blobs = new BlobStore(database, folder);
    store = new SegmentStore({ database, blobs, seal, log: { warn: () => undefined }, clock: new FakeClock() });
    reader = new DatasetReader(database, seal);
    exports = new DatasetExport(reader);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const seal = new ContentSeal('the master key of this test');

  function serviceWith(limits: { maxItems?: number; maxBytes?: number } = {}): DatasetsService {
    const usage = new UsageService(database);
    const blobs = new BlobStore(database, folder);
    const contents = new LoggedContentsService({ database, blobs, seal, usage, flush: async () => true });
    const convert = { request: replayRequest, response: replayResponse };
    const copies = new ItemCopies({ contents, usage, convert });
    return new DatasetsService({
      database,
      seal,
      reader,
      copies,
      endRuns,
      maxItems: 1_000,
      maxBytes: 100_000_000,
      ...limits,
    });
  }

  async function newAccount(): Promise<string> {
    const em = database.em();
    const account = em.create(Account, { name: 'With datasets' });
    await em.persist(account).flush();
    return account.id;
  }

  interface Logged {
    readonly request?: object;
    readonly response?: object | null;
    readonly level?: 'full' | 'metadata';
    readonly protocol?: 'chat-completions' | null;
  }

  const chat = (content: string): object => ({ model: 'chat', messages: [{ role: 'user', content }] });
  const said = (content: string): object => ({ choices: [{ index: 0, message: { role: 'assistant', content } }] });

  /** Stores a request with its content. @returns its ID */
  async function log(accountId: string, logged: Logged = {}): Promise<string> {
    const { request = chat('What is a sluice?'), response = said('A gate.'), level = 'full' } = logged;
    const { protocol = 'chat-completions' } = logged;
    const record = usageRecord({ account_id: accountId, content_level: level, protocol });
    const document = Buffer.from(JSON.stringify({ request, response, error: null, isComplete: true }));
    const content = { level, document, redactions: { email: 1 }, searchText: null };
    const fail = (_row: unknown, error: unknown): never => {
      throw new Error('A row was not stored.', { cause: error });
    };
    await new UsageStore(database, fail).store(rowsJson([record]));
    await store.store([{ eventId: record.event_id, accountId, ...content }]);
    return record.event_id;
  }

  const codeOf = (failing: Promise<unknown>): Promise<unknown> =>
    failing.then(
      () => null,
      (error: unknown) => (error instanceof SluiceError ? error.code : error),
    );

  async function linesOf(pieces: AsyncIterable<Buffer>): Promise<Line[]> {
    let text = '';
    for await (const piece of pieces) text += piece.toString();
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => lineSchema.parse(JSON.parse(line)));
  }
  const exported = (format: DatasetFormat, accountId: string, id: string) =>
    linesOf(exports.file(format, accountId, id));

  test('copies requests in order, each once, which outlive the logged content', async () => {
    const [service, accountId] = [serviceWith(), await newAccount()];
    const { id } = await service.create(accountId, ' Questions ');
    const events = [await log(accountId, { request: chat('one') }), await log(accountId, { request: chat('two') })];
    const first = await service.add(accountId, id, [...events, events[0] ?? '']);
    expect(first).toMatchObject({ added: 2, skipped: [], dataset: { name: 'Questions', items: 2 } });
    await database.query('delete from logged_contents where account_id = $1', [accountId]);
    const third = await log(accountId, { request: chat('three') });
    const again = await service.add(accountId, id, [events[1] ?? '', third]);
    expect(again.added).toBe(1);
    expect(again.skipped).toEqual([{ eventId: events[1], reason: expect.stringMatching(/./) }]);
    const { rows } = await reader.items(accountId, id, 10, null);
    expect(rows.map(({ document }) => document?.input.messages[0]?.content)).toEqual(['one', 'two', 'three']);
    expect(rows[0]?.document).toMatchObject({
      output: { role: 'assistant', content: 'A gate.' },
      metadata: { redactions: { email: 1 }, servedModel: 'sandbox/chat' },
    });
  });

  test('skips what cannot be copied, and says why', async () => {
    const [service, accountId, other] = [serviceWith(), await newAccount(), await newAccount()];
    const { id } = await service.create(accountId, 'Some');
    const cases: readonly (readonly [string, RegExp])[] = [
      [await log(other), /no such request/],
      [await log(accountId, { level: 'metadata' }), /metadata/],
      [await log(accountId, { protocol: null }), /text generation/],
      [await log(accountId, { request: { omitted: { bytes: 5_000_000 } } }), /./],
      [await log(accountId, { response: said('x'.repeat(1_000_000)) }), /Items have up to/],
    ];
    const { added, skipped } = await service.add(
      accountId,
      id,
      cases.map(([eventId]) => eventId),
    );
    expect(added).toBe(0);
    expect(skipped).toHaveLength(cases.length);
    for (const [at, [eventId, reason]] of cases.entries()) {
      expect(skipped[at]?.eventId).toBe(eventId);
      expect(skipped[at]?.reason).toMatch(reason);
    }
  });

  test('are encrypted for their account and their item', async () => {
    const [service, accountId] = [serviceWith(), await newAccount()];
    const { id } = await service.create(accountId, 'Secret');
    const secret = 'a canary that no column may contain';
    await service.add(accountId, id, [await log(accountId, { request: chat(secret) }), await log(accountId)]);
    const rows = await database.query<{ id: string; content: Buffer; wrapped_key: Buffer }>(
      'select id, content, wrapped_key from dataset_items where dataset_id = $1 order by position',
      [id],
    );
    expect(JSON.stringify(rows.map(({ content }) => content.toString('latin1')))).not.toContain('canary');
    const [one, two] = rows;
    const sealed = { bytes: one?.content ?? Buffer.alloc(0), wrappedKey: one?.wrapped_key ?? Buffer.alloc(0) };
    expect(seal.open(sealed, { accountId, eventId: one?.id ?? '' })?.toString()).toContain(secret);
    expect(seal.open(sealed, { accountId, eventId: two?.id ?? '' })).toBeNull();
    expect(new ContentSeal('another key').open(sealed, { accountId, eventId: one?.id ?? '' })).toBeNull();
  });

  test('have limits of items and bytes, which add nothing where they are exceeded', async () => {
    const accountId = await newAccount();
    const few = serviceWith({ maxItems: 2 });
    const [one, two] = [await few.create(accountId, 'One'), await few.create(accountId, 'Two')];
    const events = [await log(accountId), await log(accountId), await log(accountId)];
    await few.add(accountId, one.id, events.slice(0, 1));
    expect(await codeOf(few.add(accountId, two.id, events.slice(1)))).toBe('dataset_storage_full');
    expect(await few.storageOf(accountId)).toMatchObject({ items: 1, maxItems: 2 });
    expect((await few.add(accountId, two.id, events.slice(1, 2))).added).toBe(1);
    const small = serviceWith({ maxBytes: 10 });
    expect(await codeOf(small.add(accountId, one.id, events.slice(2)))).toBe('dataset_storage_full');
    expect((await reader.get(accountId, one.id)).items).toBe(1);
  });

  test('of another account are not found', async () => {
    const [service, accountId, other] = [serviceWith(), await newAccount(), await newAccount()];
    const { id } = await service.create(accountId, 'Mine');
    const event = await log(accountId);
    await service.add(accountId, id, [event]);
    const [item] = (await reader.items(accountId, id, 1, null)).rows;
    const itemId = item?.row.id ?? '';
    const foreign = await service.create(other, 'Theirs');
    for (const run of [
      () => service.rename(other, id, 'x'),
      () => service.remove(other, id),
      () => service.add(other, id, [event]),
      () => service.removeItems(other, id, [itemId]),
      () => reader.get(other, id),
      () => exported('plain', other, id),
    ])
      expect(await codeOf(run())).toBe('not_found');
    await service.removeItems(other, foreign.id, [itemId]);
    expect((await service.add(other, foreign.id, [event])).added).toBe(0);
    expect(await reader.itemsByIds(other, [itemId], {})).toEqual([]);
    expect((await reader.items(other, id, 10, null)).rows).toEqual([]);
    expect(await reader.get(accountId, id)).toMatchObject({ name: 'Mine', items: 1 });
  });

  test('need an account without zero retention', async () => {
    const [service, accountId] = [serviceWith(), await newAccount()];
    const { id } = await service.create(accountId, 'Before');
    const event = await log(accountId);
    await database.query('update accounts set zero_retention = true where id = $1', [accountId]);
    expect(await codeOf(service.create(accountId, 'After'))).toBe('zero_retention');
    expect(await codeOf(service.add(accountId, id, [event]))).toBe('zero_retention');
  });

  test('are read in pages of at most a megabyte, in both directions', async () => {
    const [service, accountId] = [serviceWith(), await newAccount()];
    const { id } = await service.create(accountId, 'Long');
    const long = 'y'.repeat(400_000);
    const events: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      events.push(await log(accountId, { request: chat(`${name}${long}`) }));
    await service.add(accountId, id, events);
    const namesOf = (rows: Awaited<ReturnType<DatasetReader['items']>>['rows']) =>
      rows.map(({ document }) => String(document?.input.messages[0]?.content)[0]);
    const first = await reader.items(accountId, id, 100, null);
    expect([namesOf(first.rows), first.hasMore]).toEqual([['a', 'b'], true]);
    const next = await reader.items(accountId, id, 100, first.rows.at(-1)?.row.position ?? 0);
    expect([namesOf(next.rows), next.hasMore]).toEqual([['c', 'd'], true]);
    const last = await reader.items(accountId, id, 100, next.rows.at(-1)?.row.position ?? 0);
    expect([namesOf(last.rows), last.hasMore]).toEqual([['e'], false]);
    const one = await reader.items(accountId, id, 1, null);
    expect([namesOf(one.rows), one.hasMore]).toEqual([['a'], true]);
    const backwards = await reader.items(accountId, id, 100, null, true);
    expect([namesOf(backwards.rows), backwards.hasMore]).toEqual([['e', 'd'], true]);
    expect(await exported('plain', accountId, id)).toHaveLength(5);
  });

  test('are not read beyond what the budget of an operation allows', async () => {
    const [service, accountId] = [serviceWith(), await newAccount()];
    const { id } = await service.create(accountId, 'Budgeted');
    const events: string[] = [];
    for (let at = 0; at < 3; at++) events.push(await log(accountId, { request: chat('z'.repeat(890_000)) }));
    expect(await service.add(accountId, id, events)).toMatchObject({ added: 3, skipped: [] });
    const budgeted = new DatasetReader(database, { open: (...sealed) => (opened++, seal.open(...sealed)) });
    let opened = 0;
    const ids: string[] = [];
    let after: number | null = null;
    for (let at = 0; at < 3; at++) {
      const { rows }: Awaited<ReturnType<DatasetReader['items']>> = await reader.items(accountId, id, 1, after);
      ids.push(...rows.map(({ row }) => row.id));
      after = rows[0]?.row.position ?? null;
    }
    expect(ids).toHaveLength(3);
    const budget = new OperationContentBudget();
    expect(await budgeted.itemsByIds(accountId, ids, { budget })).toHaveLength(3);
    expect(await budgeted.itemsByIds(accountId, ids, { budget })).toHaveLength(3);
    expect((await budgeted.items(accountId, id, 100, null, false, { budget })).rows).toHaveLength(1);
    expect(opened).toBe(7);
    const page = budgeted.items(accountId, id, 100, null, false, { budget });
    expect((await page).rows).toHaveLength(1);
    expect(await codeOf(budgeted.itemsByIds(accountId, ids, { budget }))).toBe('operation_too_large');
    expect(await codeOf(budgeted.items(accountId, id, 1, null, false, { budget }))).toBe('operation_too_large');
    expect(opened).toBe(8);
    // Without their content, items cost nothing of it, and a page has all.
    const reading = { withContent: false, budget };
    expect(await budgeted.itemsByIds(accountId, ids, reading)).toMatchObject([
      { document: null },
      { document: null },
      { document: null },
    ]);
    const { rows, hasMore } = await budgeted.items(accountId, id, 100, null, false, reading);
    expect([rows.length, hasMore]).toEqual([3, false]);
    expect(opened).toBe(8);
  });

  test('that cannot be decrypted have a line with an error in the export of an account', async () => {
    const [service, accountId] = [serviceWith(), await newAccount()];
    const { id } = await service.create(accountId, 'Other secret');
    await service.add(accountId, id, [await log(accountId), await log(accountId)]);
    const [first] = (await reader.items(accountId, id, 1, null)).rows;
    await database.query(`update dataset_items set wrapped_key = '\\x00' where id = $1`, [first?.row.id]);
    let unreadable = 0;
    expect(await linesOf(exports.account(accountId, () => unreadable++))).toEqual([
      { type: 'dataset_item', dataset_id: id, id: first?.row.id, error: 'cannot be decrypted' },
      expect.objectContaining({ type: 'dataset_item', dataset_id: id, output: expect.anything() }),
    ]);
    expect(unreadable).toBe(1);
  });

  test('that cannot be decrypted refuse the export of their dataset', async () => {
    const [service, accountId] = [serviceWith(), await newAccount()];
    const { id } = await service.create(accountId, 'Partly readable');
    await service.add(accountId, id, [await log(accountId), await log(accountId), await log(accountId)]);
    await exports.requireReadable(accountId, id);
    const [first] = (await reader.items(accountId, id, 1, null)).rows;
    await database.query(`update dataset_items set wrapped_key = '\\x00' where id = $1`, [first?.row.id]);
    await expect(exports.requireReadable(accountId, id)).rejects.toMatchObject({
      code: 'dataset_items_unreadable',
      message: expect.stringMatching(/^1 of 3 items/),
    });
    expect(await codeOf(exports.requireReadable(await newAccount(), id))).toBe('not_found');
    expect(await exported('openai-fine-tuning', accountId, id)).toHaveLength(2);
  });

  test('are exported with metadata, for fine-tuning and for evals', async () => {
    const [service, accountId] = [serviceWith(), await newAccount()];
    const { id } = await service.create(accountId, 'Exported');
    const request = { model: 'chat', temperature: 0.5, tools, messages: [{ role: 'user', content: 'Rain?' }] };
    const calling = { choices: [{ message: { role: 'assistant', content: null, tool_calls: [call] } }] };
    await service.add(accountId, id, [
      await log(accountId),
      await log(accountId, { request, response: calling }),
      await log(accountId, { response: null }),
    ]);
    const [plain, calls, failed]: Line[] = await exported('plain', accountId, id);
    expect(plain).toMatchObject({
      input: { messages: [{ role: 'user', content: 'What is a sluice?' }] },
      output: { role: 'assistant', content: 'A gate.' },
      metadata: { served_model: 'sandbox/chat', cost_usd: '9007199.254740993', input_tokens: 12 },
    });
    expect(calls?.input).toEqual({ messages: request.messages, tools, temperature: 0.5 });
    expect(failed?.output).toBeNull();
    expect(await exported('openai-fine-tuning', accountId, id)).toEqual([
      {
        messages: [
          { role: 'user', content: 'What is a sluice?' },
          { role: 'assistant', content: 'A gate.' },
        ],
      },
      { messages: [request.messages[0], { role: 'assistant', tool_calls: [call] }], tools },
    ]);
    const evals = await exported('openai-evals', accountId, id);
    expect(evals.map(({ item }) => item.ideal)).toEqual(['A gate.', '', null]);
    expect(evals[1]?.item).toMatchObject({ input: request.messages, tools, output: { tool_calls: [call] } });
  });

  test('are part of the export of an account, and end with it', async () => {
    const [service, accountId] = [serviceWith(), await newAccount()];
    const { id } = await service.create(accountId, 'Kept');
    await service.add(accountId, id, [await log(accountId)]);
    const lines = await linesOf(new AccountExport(database, (of) => exports.account(of)).file(accountId));
    expect(lines).toContainEqual(expect.objectContaining({ type: 'dataset', name: 'Kept' }));
    expect(lines).toContainEqual(
      expect.objectContaining({
        type: 'dataset_item',
        dataset_id: id,
        output: { role: 'assistant', content: 'A gate.' },
      }),
    );
    const ended = new Date(Date.now() - 3_600_000);
    await database.query('update accounts set erased_after = $1 where id = $2', [ended, accountId]);
    await database.query('insert into billing_marks (account_id, closed_until) values ($1, $2)', [accountId, ended]);
    expect(await new AccountErasure(database, async () => undefined).eraseDue(new Date())).toContain(accountId);
    const left = 'select 1 from dataset_items where account_id = $1 union select 1 from datasets where account_id = $1';
    expect(await database.query(left, [accountId])).toEqual([]);
  });

  test('are renamed, emptied and deleted, which the audit log records', async () => {
    const [service, accountId] = [serviceWith(), await newAccount()];
    const { id } = await service.create(accountId, 'Old');
    await service.add(accountId, id, [await log(accountId), await log(accountId)]);
    expect(await service.rename(accountId, id, 'New')).toMatchObject({ name: 'New' });
    const [first] = (await reader.items(accountId, id, 10, null)).rows;
    expect(await service.removeItems(accountId, id, [first?.row.id ?? ''])).toMatchObject({ items: 1 });
    await service.remove(accountId, id);
    expect(await reader.byIds(accountId, [id])).toEqual([]);
    for (const name of ['', '   ', 'x'.repeat(201)])
      expect(await codeOf(service.create(accountId, name))).toBe('bad_user_input');
    const entries = await database.query<{ action: string }>(
      'select action from audit_entries where account_id = $1 order by id',
      [accountId],
    );
    expect(entries.map(({ action }) => action)).toEqual([
      'account.created',
      'dataset.created',
      'dataset.items_added',
      'dataset.renamed',
      'dataset.items_removed',
      'dataset.deleted',
    ]);
  });
});
