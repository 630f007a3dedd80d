import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import type { NewCompletion } from '../../../src/gateway/capabilities/chat/storage/completion-store.ts';
import { newEventIds } from '../../../src/gateway/event-id.ts';
import { JobQueue } from '../../../src/jobs/job-queue.ts';
import {
  ChatCompletionsService,
  type CompletionFilter,
} from '../../../src/services/chat-completions/chat-completions.service.ts';
import { AccountExport } from '../../../src/services/members/account-export.ts';
import { accountReach } from '../../../src/services/object-reach.ts';
import { ResponseSweep } from '../../../src/services/responses/jobs.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { awayAtTimes, newAccount } from '../responses/given-response.ts';

const DAY_MS = 86_400_000;
const everything: CompletionFilter = { model: null, metadata: {} };
const firstPage = { limit: 20, order: 'asc', after: null } as const;

/** No content is stored encrypted here. */
async function* noLines(): AsyncGenerator<Buffer> {}

describeWithDatabase('stored chat completions', (databases) => {
  let database: Database;
  let service: ChatCompletionsService;
  let accountId: string;
  let apiKeyId: string;
  let lost: object[];

  beforeAll(async () => {
    database = await databases.open();
  });

  beforeEach(async () => {
    await database.query('delete from chat_completions');
    accountId = await newAccount(database);
    apiKeyId = randomUUID();
    lost = [];
    service = serviceOver(database);
  });

  function serviceOver(over: Pick<Database, 'query'>, clock?: FakeClock): ChatCompletionsService {
    return new ChatCompletionsService({ database: over, log: { warn: (fields) => lost.push(fields) }, clock });
  }

  function given(members: Partial<NewCompletion> & { readonly at?: number } = {}): NewCompletion {
    const { at = Date.now(), ...values } = members;
    const id = newEventIds(at).eventId;
    return {
      id,
      key: { id: apiKeyId, accountId, memberId: null },
      model: 'sandbox/chat',
      metadata: {},
      messages: [{ role: 'user', content: 'Hello' }],
      completion: { id: `chatcmpl-${id}`, object: 'chat.completion', model: 'served', choices: [] },
      costNano: 12n,
      ...values,
    };
  }

  /** Stored, and read back. @returns its id */
  async function kept(members: Parameters<typeof given>[0] = {}, by = service): Promise<string> {
    const completion = given(members);
    by.storeSoon(completion);
    await by.list(accountReach(accountId), firstPage, everything);
    return idOf(completion);
  }

  const idOf = ({ completion }: NewCompletion): string => String(completion.id);
  const listed = async (filter: Partial<CompletionFilter> = {}, page: object = {}): Promise<string[]> => {
    const asked = { ...firstPage, ...page };
    const { rows } = await service.list(accountReach(accountId), asked, { ...everything, ...filter });
    return rows.map(({ completionId }) => completionId);
  };
  const missing = { code: 'not_found' };

  it('are found immediately, and the same once stored', async () => {
    const completion = given({ metadata: { topic: 'boats' } });
    service.storeSoon(completion);
    const reach = accountReach(accountId);
    const pending = await service.get(reach, idOf(completion));
    expect(pending).toMatchObject({ model: 'sandbox/chat', metadata: { topic: 'boats' }, costNano: 12n });
    expect(pending.completion).toEqual(completion.completion);
    expect(await service.messages(reach, idOf(completion))).toEqual(completion.messages);
    expect(await listed()).toEqual([idOf(completion)]);
    const other = serviceOver(database);
    expect(await other.get(reach, idOf(completion))).toEqual(pending);
    expect(await other.messages(reach, idOf(completion))).toEqual(completion.messages);
    expect(await other.byIds(reach, [completion.id])).toEqual([pending]);
    expect(pending.expiresAt.getTime() - pending.createdAt.getTime()).toBe(30 * DAY_MS);
  });

  it('are of their account, and of their key', async () => {
    const reaches = [
      { accountId, apiKeyId: randomUUID() },
      accountReach(await newAccount(database)),
      { accountId: await newAccount(database), apiKeyId },
    ];
    const completion = given();
    service.storeSoon(completion);
    for (const state of ['pending', 'stored']) {
      for (const reach of reaches) {
        const id = idOf(completion);
        await expect(service.get(reach, id), state).rejects.toMatchObject(missing);
        await expect(service.messages(reach, id), state).rejects.toMatchObject(missing);
        await expect(service.update(reach, id, { a: 'b' }), state).rejects.toMatchObject(missing);
        await expect(service.remove(reach, id), state).rejects.toMatchObject(missing);
        await expect(service.list(reach, { ...firstPage, after: id }, everything), state).rejects.toMatchObject(
          missing,
        );
        expect((await service.list(reach, firstPage, everything)).rows).toEqual([]);
        if (reach.accountId !== accountId) expect(await service.byIds(reach, [completion.id])).toEqual([]);
      }
      await service.list(accountReach(accountId), firstPage, everything);
    }
    expect((await service.get({ accountId, apiKeyId }, idOf(completion))).metadata).toEqual({});
  });

  it('are listed in pages of either order', async () => {
    const at = Date.now() - 10_000;
    const ids: string[] = [];
    // Two of one time.
    for (const [n, time] of [0, 1, 1, 2, 3].entries()) ids.push(await kept({ at: at + time, metadata: { n: `${n}` } }));
    const all = await listed();
    expect(all.toSorted()).toEqual(ids.toSorted());
    expect([all[0], all.at(-1)]).toEqual([ids[0], ids[4]]);
    expect(await listed({}, { order: 'desc' })).toEqual(all.toReversed());
    for (const order of ['asc', 'desc'] as const) {
      const walked: string[] = [];
      for (let after: string | null = null, hasMore = true; hasMore;) {
        const page = await service.list(accountReach(accountId), { limit: 2, order, after }, everything);
        walked.push(...page.rows.map(({ completionId }) => completionId));
        ({ hasMore } = page);
        after = walked.at(-1) ?? null;
      }
      expect(walked).toEqual(order === 'asc' ? all : all.toReversed());
    }
    expect(await service.list(accountReach(accountId), { ...firstPage, limit: 0 }, everything)).toEqual({
      rows: [],
      hasMore: false,
    });
    await expect(listed({}, { after: 'chatcmpl-none' })).rejects.toMatchObject(missing);
  });

  it('are filtered by their model and all given metadata', async () => {
    const at = Date.now() - 10_000;
    const both = await kept({ at, metadata: { topic: 'boats', team: 'a' } });
    const one = await kept({ at: at + 1, metadata: { topic: 'boats' }, model: 'fast' });
    await kept({
      at: at + 2,
      metadata: { topic: 'cars' },
      completion: { id: 'chatcmpl-cars', model: 'other', choices: [] },
    });
    expect(await listed({ metadata: { topic: 'boats' } })).toEqual([both, one]);
    expect(await listed({ metadata: { topic: 'boats', team: 'a' } })).toEqual([both]);
    expect(await listed({ metadata: { topic: "'; drop table chat_completions" } })).toEqual([]);
    expect(await listed({ model: 'fast' })).toEqual([one]);
    expect(await listed({ model: 'served' })).toEqual([both, one]);
    expect(await listed({ model: 'other', metadata: { topic: 'cars' } })).toEqual(['chatcmpl-cars']);
  });

  it('get other metadata, pending or stored', async () => {
    const completion = given({ metadata: { topic: 'boats' } });
    service.storeSoon(completion);
    const reach = { accountId, apiKeyId };
    const others: Readonly<Record<string, string>>[] = [{ topic: 'ships' }, {}, { 'a b': 'x\u0000y' }];
    for (const metadata of others) {
      const shown = JSON.parse(JSON.stringify(metadata).replace('\\u0000', ''));
      expect((await service.update(reach, idOf(completion), metadata)).metadata).toEqual(shown);
      expect((await service.get(reach, idOf(completion))).metadata).toEqual(shown);
      expect(await listed({ metadata: shown })).toEqual([idOf(completion)]);
      expect((await serviceOver(database).get(reach, idOf(completion))).metadata).toEqual(shown);
    }
  });

  it('keep other metadata that they get while the database is away', async () => {
    const state = awayAtTimes(database, 'chat_completions');
    const clock = new FakeClock();
    const waiting = serviceOver(state.database, clock);
    const completion = given({ metadata: { topic: 'boats' } });
    waiting.storeSoon(completion);
    await clock.advanceAsync(0);
    await expect(waiting.update({ accountId, apiKeyId }, idOf(completion), { topic: 'ships' })).rejects.toMatchObject({
      code: 'database_unavailable',
    });
    expect((await waiting.get({ accountId, apiKeyId }, idOf(completion))).metadata).toEqual({ topic: 'ships' });
    state.away = false;
    await clock.advanceAsync(1_000);
    await expect.poll(() => listed({ metadata: { topic: 'ships' } })).toEqual([idOf(completion)]);
    expect(lost).toEqual([]);
  });

  it('are deleted, pending or stored', async () => {
    const reach = { accountId, apiKeyId };
    for (const isStored of [false, true]) {
      const completion = given();
      service.storeSoon(completion);
      if (isStored) await listed();
      await service.remove(reach, idOf(completion));
      await expect(service.get(reach, idOf(completion))).rejects.toMatchObject(missing);
      await expect(service.remove(reach, idOf(completion))).rejects.toMatchObject(missing);
      expect(await listed()).toEqual([]);
    }
  });

  it('never take the place of one another, not even of one id', async () => {
    const completion = { id: 'chatcmpl-7', choices: [] };
    const at = Date.now() - 10_000;
    await kept({ at, completion, metadata: { n: '1' } });
    // Two that are pending at once.
    for (const n of [2, 3]) service.storeSoon(given({ at: at + n, completion, metadata: { n: `${n}` } }));
    const { rows } = await service.list(accountReach(accountId), firstPage, everything);
    expect(rows.map(({ metadata }) => metadata)).toEqual([{ n: '1' }, { n: '2' }, { n: '3' }]);
    expect((await service.get(accountReach(accountId), 'chatcmpl-7')).metadata).toEqual({ n: '3' });
  });

  it('are not looked for by what no id can be', async () => {
    for (const id of ['', 'x'.repeat(257), 'a\u0000b', '\ud800'])
      await expect(service.get(accountReach(accountId), id)).rejects.toMatchObject(missing);
  });

  it('are stored after an outage of the database', async () => {
    const state = awayAtTimes(database, 'chat_completions');
    const clock = new FakeClock();
    const waiting = serviceOver(state.database, clock);
    const completion = given();
    waiting.storeSoon(completion);
    await clock.advanceAsync(0);
    await expect(waiting.list(accountReach(accountId), firstPage, everything)).rejects.toMatchObject({
      code: 'database_unavailable',
    });
    state.away = false;
    // It waits for no retry.
    const { rows } = await waiting.list(accountReach(accountId), firstPage, everything);
    expect(rows).toEqual([]);
    await clock.advanceAsync(1_000);
    await expect.poll(() => listed()).toEqual([idOf(completion)]);
  });

  it('are stored when the server stops', async () => {
    const completion = given();
    service.storeSoon(completion);
    await service.close();
    expect((await serviceOver(database).get(accountReach(accountId), idOf(completion))).model).toBe('sandbox/chat');
  });

  it('are exported with their account, and deleted with it', async () => {
    const made: string[] = [];
    const now = Date.now();
    for (let age = 0; age < 25; age++) made.push(await kept({ at: now - age }));
    const pieces: Buffer[] = [];
    for await (const piece of new AccountExport(database, noLines).file(accountId)) pieces.push(piece);
    const lines = Buffer.concat(pieces).toString().trim().split('\n');
    const rows = lines.map((line): { type: string; completion_id: string; messages: object } => JSON.parse(line));
    const exported = rows.filter(({ type }) => type === 'chat_completion');
    expect(exported.map(({ completion_id: id }) => id)).toEqual(made.toReversed());
    expect(exported[0]?.messages).toEqual([{ role: 'user', content: 'Hello' }]);
    await database.query('delete from accounts where id = $1', [accountId]);
    await expect(service.get(accountReach(accountId), made[0] ?? '')).rejects.toMatchObject(missing);
    // One that is pending then has no account.
    const late = given();
    service.storeSoon(late);
    expect(await listed()).toEqual([]);
    expect(lost).toMatchObject([{ completions: [idOf(late)], count: 1 }]);
  });

  it('are removed 30 days after their request, by the sweep of responses', async () => {
    const old = await Promise.all(Array.from({ length: 120 }, () => kept({ at: Date.now() - 31 * DAY_MS })));
    const fresh = await kept({ at: Date.now() - 29 * DAY_MS });
    expect(await listed({}, { limit: 100 })).toHaveLength(100);
    const sweep = new ResponseSweep(new JobQueue(database), {
      database,
      stores: [service],
    });
    await sweep.sweep();
    expect(await listed()).toEqual([fresh]);
    await expect(service.get(accountReach(accountId), old[0] ?? '')).rejects.toMatchObject(missing);
  });
});
