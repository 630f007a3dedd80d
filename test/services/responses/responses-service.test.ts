import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import type { StoredResponse } from '../../../src/database/entities/index.ts';
import type { NewResponse } from '../../../src/gateway/capabilities/responses/background/run-store.ts';
import { itemId, publicResponseId } from '../../../src/services/responses/response-id.ts';
import { newEventIds } from '../../../src/gateway/event-id.ts';
import { accountReach } from '../../../src/services/object-reach.ts';
import { ChangeSignal } from '../../../src/live/change-signal.ts';
import { AccountExport } from '../../../src/services/members/account-export.ts';
import { ResponsesService } from '../../../src/services/responses/responses.service.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { type Given, givenRequest, givenResponse, leaseOf, newAccount, outputOf } from './given-response.ts';

const LEASE_MS = 60_000;
const DAY_MS = 86_400_000;

/** No content is stored encrypted here. */
async function* noLines(): AsyncGenerator<Buffer> {}

describeWithDatabase('stored responses', (databases) => {
  let database: Database;
  let changes: ChangeSignal;
  let service: ResponsesService;
  let accountId: string;
  let otherId: string;

  beforeAll(async () => {
    database = await databases.open();
    changes = new ChangeSignal();
    service = new ResponsesService({ database, changes, log: { warn: () => expect.fail('nothing is lost here') } });
  });

  beforeEach(async () => {
    [accountId, otherId] = [await newAccount(database), await newAccount(database)];
  });

  function recordingDeletions(): { readonly own: ResponsesService; readonly deleted: [string, unknown][] } {
    const deleted: [string, unknown][] = [];
    const copies = { delete: (account: string, given: unknown) => void deleted.push([account, given]) };
    const log = { warn: () => expect.fail('nothing is lost here') };
    return { own: new ResponsesService({ database, changes, log, copies }), deleted };
  }

  it('are deleted at the providers of all of their runs', async () => {
    const { own, deleted } = recordingDeletions();
    const { id } = await begun();
    const [first, second] = [
      { connectionId: 'openai', id: 'resp_first' },
      { connectionId: 'azure', id: 'resp_second' },
    ];
    for (const copy of [first, first, second, first]) await own.addCopy(id, accountId, copy);
    expect(deleted).toEqual([]);
    await own.remove(accountReach(accountId), publicResponseId(id));
    expect(deleted).toEqual([[accountId, [first, second]]]);
    // One that was begun while the response was deleted.
    const third = { connectionId: 'openai', id: 'resp_third' };
    await own.addCopy(id, accountId, third);
    expect(deleted.slice(1)).toEqual([[accountId, [third]]]);
  });

  it('are deleted nowhere else where no provider stores them', async () => {
    const { own, deleted } = recordingDeletions();
    for (const { id } of [await begun(), await kept()]) await own.remove(accountReach(accountId), publicResponseId(id));
    expect(deleted).toEqual([]);
  });

  async function kept(given: Given = {}): Promise<NewResponse> {
    const response = givenResponse(accountId, given);
    await service.store(response);
    return response;
  }

  async function begun(given: Given = {}, leaseMs = LEASE_MS): Promise<NewResponse> {
    const response = givenResponse(accountId, { status: 'queued', said: null, costNano: null, ...given });
    await service.begin(response, givenRequest, leaseMs);
    return response;
  }

  const find = ({ id }: { readonly id: string }): Promise<StoredResponse> =>
    service.get(accountReach(accountId), publicResponseId(id));

  it('are returned as they were stored', async () => {
    const memberId = randomUUID();
    const [at, previousId] = [Date.now() - 5_000, newEventIds().eventId];
    const given = givenResponse(accountId, { at, previousId, costNano: 9_007_199_254_740_993n });
    await service.store({ ...given, key: { ...given.key, memberId } });
    const found = await find(given);
    expect(found).toMatchObject({
      id: given.id,
      apiKeyId: given.key.id,
      memberId,
      model: 'sandbox/chat',
      status: 'completed',
      background: false,
      previousId,
      input: given.input,
      response: given.response,
      costNano: 9_007_199_254_740_993n,
      createdAt: new Date(at),
      completedAt: expect.any(Date),
      expiresAt: new Date(at + 30 * DAY_MS),
      cancelAskedAt: null,
      leaseUntil: null,
    });
    expect(found.account.id).toBe(accountId);
    const free = await kept({ status: 'failed', costNano: null });
    expect(await find(free)).toMatchObject({ status: 'failed', costNano: null, memberId: null, previousId: null });
  });

  it('are stored once, however often they are passed', async () => {
    const given = await kept();
    await service.store({ ...given, model: 'another' });
    expect((await find(given)).model).toBe('sandbox/chat');
  });

  it('replace what PostgreSQL cannot store, and leave similar text unchanged', async () => {
    const said = 'a\0b \ud83d c \udc00 \u{1f600} \\u0000 \\ud83d \u001f "\n';
    const given = await kept({ said, input: [{ type: 'message', 'k\0ey': '\0' }] });
    const clean = 'ab \ufffd c \ufffd \u{1f600} \\u0000 \\ud83d \u001f "\n';
    const found = await find(given);
    expect(found.response.output).toEqual(outputOf(given.id, clean));
    expect(found.input).toEqual([{ type: 'message', key: '' }]);
  });

  it('of another account are not found', async () => {
    const one = await kept();
    const running = await begun();
    const [publicId, runningId] = [publicResponseId(one.id), publicResponseId(running.id)];
    const notFound = { code: 'not_found' };
    const never = new AbortController().signal;
    for (const id of [publicId, runningId, 'resp_none', '']) {
      await expect(service.get(accountReach(otherId), id)).rejects.toMatchObject(notFound);
      await expect(service.remove(accountReach(otherId), id)).rejects.toMatchObject(notFound);
      await expect(service.requestCancel(accountReach(otherId), id)).rejects.toMatchObject(notFound);
      await expect(service.ended(accountReach(otherId), id)).rejects.toMatchObject(notFound);
      await expect(service.watch(accountReach(otherId), id, -1, never).next()).rejects.toMatchObject(notFound);
      await expect(service.conversation(accountReach(otherId), id)).rejects.toMatchObject({
        code: 'previous_response_not_found',
      });
      const page = { limit: 10, order: 'desc', after: id } as const;
      await expect(service.list(accountReach(otherId), page, true)).rejects.toMatchObject(notFound);
    }
    expect(await service.byIds(accountReach(otherId), [one.id, running.id], true)).toEqual([]);
    expect(await service.list(accountReach(otherId), { limit: 10, order: 'desc', after: null }, true)).toEqual({
      rows: [],
      hasMore: false,
    });
    expect(await service.items(accountReach(otherId), [itemId('msg', one.id, 0)])).toEqual(new Map());
    expect((await find(one)).cancelAskedAt).toBeNull();
    expect((await find(running)).cancelAskedAt).toBeNull();
  });

  it('are read by their ids, if they exist', async () => {
    const [one, two] = [await kept(), await kept()];
    const rows = await service.byIds(accountReach(accountId), [one.id, randomUUID(), two.id], true);
    expect(rows.map(({ id }) => id).toSorted()).toEqual([one.id, two.id].toSorted());
  });

  it('are paged by creation time in both directions', async () => {
    const at = Date.now();
    const made = [await kept({ at: at + 2 }), await kept({ at }), await kept({ at: at + 1 }), await kept({ at })];
    // Two were created at the same time: then the id decides.
    const oldestFirst = made.map(({ id }) => id).toSorted();
    const pages = async (order: 'asc' | 'desc'): Promise<string[]> => {
      const ids: string[] = [];
      for (let after: string | null = null; ; after = publicResponseId(ids.at(-1) ?? '')) {
        const page = await service.list(accountReach(accountId), { limit: 3, order, after }, true);
        ids.push(...page.rows.map(({ id }) => id));
        if (!page.hasMore) return ids;
        expect(page.rows).toHaveLength(3);
      }
    };
    expect(await pages('asc')).toEqual(oldestFirst);
    expect(await pages('desc')).toEqual(oldestFirst.toReversed());
    expect((await service.list(accountReach(accountId), { limit: 4, order: 'asc', after: null }, true)).hasMore).toBe(
      false,
    );
    expect(await service.list(accountReach(accountId), { limit: 0, order: 'asc', after: null }, true)).toEqual({
      rows: [],
      hasMore: false,
    });
  });

  it('are listed without their input, and with their output on request', async () => {
    const { id, response } = await kept();
    const page = { limit: 1, order: 'desc', after: null } as const;
    for (const withAnswers of [false, true]) {
      const { rows } = await service.list(accountReach(accountId), page, withAnswers);
      const found = await service.byIds(accountReach(accountId), [id], withAnswers);
      for (const row of [rows[0], found[0]]) {
        expect(row).toMatchObject({ id, model: 'sandbox/chat', status: 'completed', costNano: 12n });
        expect(row).toHaveProperty('input', undefined);
        expect(row?.response).toEqual(withAnswers ? response : undefined);
      }
    }
  });

  it('are removed once, with their events', async () => {
    const one = await begun();
    await service.append(leaseOf(one.id), [{ sequenceNumber: 0, json: '{}' }]);
    expect(await service.remove(accountReach(accountId), publicResponseId(one.id))).toEqual({ id: one.id });
    await expect(find(one)).rejects.toMatchObject({ code: 'not_found' });
    await expect(service.remove(accountReach(accountId), publicResponseId(one.id))).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await service.events(one.id, -1, 10)).toEqual([]);
    // The process that runs it may not know yet.
    await service.append(leaseOf(one.id), [{ sequenceNumber: 1, json: '{}' }]);
    expect(await service.finish(leaseOf(one.id), one.response, null)).toBe(false);
  });

  it('run in the background from queued to their end, which is stored once', async () => {
    const one = await begun();
    expect(await find(one)).toMatchObject({ status: 'queued', background: true, completedAt: null, costNano: null });
    await service.append(leaseOf(one.id), [], { ...one.response, status: 'in_progress' });
    expect(await find(one)).toMatchObject({ status: 'in_progress', response: { status: 'in_progress' } });
    const done = { ...one.response, status: 'incomplete', output: outputOf(one.id, 'Half.\0') } as const;
    expect(await service.finish(leaseOf(one.id), done, 7n)).toBe(true);
    const ended = await find(one);
    expect(ended).toMatchObject({ status: 'incomplete', costNano: 7n, leaseUntil: null });
    expect(ended.response.output).toEqual(outputOf(one.id, 'Half.'));
    expect(ended.completedAt).toBeInstanceOf(Date);
    expect(await service.finish(leaseOf(one.id), { ...done, status: 'failed' }, 8n)).toBe(false);
    await service.append(leaseOf(one.id), [], { ...done, status: 'in_progress' });
    expect(await find(one)).toEqual(ended);
  });

  it('store a state and the event that reports it together, or neither', async () => {
    const one = await begun();
    const running = { ...one.response, status: 'in_progress' } as const;
    const events = [{ sequenceNumber: 0, json: '{"type":"response.in_progress"}' }];
    await service.append(leaseOf(one.id), events, running);
    expect(await find(one)).toMatchObject({ status: 'in_progress', response: { status: 'in_progress' } });
    expect(await service.events(one.id, -1, 10)).toEqual(events);
    // As after a result that was lost.
    await service.append(leaseOf(one.id), events, running);
    expect(await service.events(one.id, -1, 10)).toEqual(events);
    const [other, lost] = [await begun(), await begun()];
    // A sequence number that the database refuses.
    const invalid = [{ sequenceNumber: 2 ** 40, json: '{}' }];
    await expect(service.append(leaseOf(other.id), invalid, running)).rejects.toThrow();
    await service.append({ id: lost.id, token: 99 }, events, running);
    for (const unchanged of [other, lost]) {
      expect((await find(unchanged)).status).toBe('queued');
      expect(await service.events(unchanged.id, -1, 10)).toEqual([]);
    }
  });

  it('store their events once, in order and unchanged, until they end', async () => {
    const one = await begun();
    const told = ['{"b":1, "a":"\\u0000"}', '{"naïve":"\u{1f600}"}', '{"quote":"\\"\\\\"}', '{}'];
    const events = told.map((json, sequenceNumber) => ({ sequenceNumber, json }));
    const [first, second, third, fourth] = events;
    if (!first || !second || !third || !fourth) throw new Error('there are four');
    await service.append(leaseOf(one.id), [second, first]);
    await service.append(leaseOf(one.id), [{ ...second, json: 'another' }, third]);
    await service.append(leaseOf(one.id), []);
    expect(await service.events(one.id, -1, 10)).toEqual([first, second, third]);
    expect(await service.events(one.id, 0, 1)).toEqual([second]);
    expect(await service.events(one.id, 2, 10)).toEqual([]);
    await service.finish(leaseOf(one.id), { ...one.response, status: 'completed' }, null);
    await service.append(leaseOf(one.id), [fourth]);
    expect(await service.events(one.id, 2, 10)).toEqual([]);
  });

  it('have leases, whose renewal returns the responses to stop', async () => {
    const [one, asked, over, deleted] = [await begun({}, 1), await begun(), await begun(), await begun()];
    const before = (await find(one)).leaseUntil?.getTime() ?? NaN;
    await service.requestCancel(accountReach(accountId), publicResponseId(asked.id));
    await service.finish(leaseOf(over.id), { ...over.response, status: 'failed' }, null);
    await service.remove(accountReach(accountId), publicResponseId(deleted.id));
    const ids = [one.id, asked.id, over.id, deleted.id];
    expect(await service.renew(ids.map(leaseOf), LEASE_MS)).toEqual([asked.id, over.id, deleted.id]);
    const lease = (await find(one)).leaseUntil?.getTime() ?? NaN;
    expect(lease - before).toBeGreaterThan(LEASE_MS / 2);
    expect((await find(over)).leaseUntil).toBeNull();
    expect(await service.renew([], LEASE_MS)).toEqual([]);
  });

  it('can be cancelled if they run in the background', async () => {
    const one = await begun();
    const publicId = publicResponseId(one.id);
    const asked = await service.requestCancel(accountReach(accountId), publicId);
    expect(asked).toMatchObject({ id: one.id, status: 'queued', cancelAskedAt: expect.any(Date) });
    expect((await service.requestCancel(accountReach(accountId), publicId)).cancelAskedAt).toEqual(asked.cancelAskedAt);
    const ending = service.ended(accountReach(accountId), publicId);
    await service.finish(leaseOf(one.id), { ...one.response, status: 'cancelled' }, null);
    changes.notify(one.id);
    expect((await ending).status).toBe('cancelled');
    expect((await service.requestCancel(accountReach(accountId), publicId)).status).toBe('cancelled');
    const finished = await begun();
    await service.finish(leaseOf(finished.id), { ...finished.response, status: 'completed' }, null);
    const late = await service.requestCancel(accountReach(accountId), publicResponseId(finished.id));
    expect(late).toMatchObject({ status: 'completed', cancelAskedAt: null });
    const foreground = publicResponseId((await kept()).id);
    await expect(service.requestCancel(accountReach(accountId), foreground)).rejects.toMatchObject({
      code: 'response_not_background',
      status: 400,
      message: 'Only responses created with background=true can be cancelled.',
    });
  });

  it('are deleted with their account', async () => {
    const one = await begun();
    await service.append(leaseOf(one.id), [{ sequenceNumber: 0, json: '{}' }]);
    await database.query('delete from accounts where id = $1', [accountId]);
    await expect(find(one)).rejects.toMatchObject({ code: 'not_found' });
    expect(await service.events(one.id, -1, 10)).toEqual([]);
  });

  it('are exported with it in pages', async () => {
    const made: string[] = [];
    const now = Date.now();
    for (let age = 0; age < 45; age++) made.push((await kept({ at: now - age, said: `said ${age}` })).id);
    const pieces: Buffer[] = [];
    for await (const piece of new AccountExport(database, noLines).file(accountId)) pieces.push(piece);
    const lines = Buffer.concat(pieces).toString().trim().split('\n');
    const rows = lines.map((line): { type: string; id: string; response: object } => JSON.parse(line));
    const exported = rows.filter(({ type }) => type === 'response');
    expect(exported.map(({ id }) => id)).toEqual(made.toSorted());
    expect(exported.at(-1)?.response).toMatchObject({ output: [{ content: [{ text: 'said 0' }] }] });
  });

  it('return 503 if the database is unavailable, and for no other error', async () => {
    const gone = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const away: Database = {
      ...database,
      query: () => Promise.reject(gone),
      em: () => {
        throw gone;
      },
    };
    const log = { warn: () => undefined };
    const other = new ResponsesService({ database: away, changes, log });
    const given = givenResponse(accountId);
    const publicId = publicResponseId(given.id);
    const unavailable = { code: 'database_unavailable', status: 503 };
    const never = new AbortController().signal;
    for (const asking of [
      () => other.store(given),
      () => other.begin(given, givenRequest, LEASE_MS),
      () => other.append(leaseOf(given.id), []),
      () => other.append(leaseOf(given.id), [], given.response),
      () => other.finish(leaseOf(given.id), given.response, null),
      () => other.renew([leaseOf(given.id)], LEASE_MS),
      () => other.get(accountReach(accountId), publicId),
      () => other.byIds(accountReach(accountId), [given.id], true),
      () => other.list(accountReach(accountId), { limit: 1, order: 'asc', after: null }, true),
      () => other.requestCancel(accountReach(accountId), publicId),
      () => other.ended(accountReach(accountId), publicId),
      () => other.remove(accountReach(accountId), publicId),
      () => other.conversation(accountReach(accountId), publicId),
      () => other.items(accountReach(accountId), [itemId('msg', given.id, 0)]),
      () => other.events(given.id, -1, 1),
      () => other.watch(accountReach(accountId), publicId, -1, never).next(),
    ])
      await expect(asking(), String(asking)).rejects.toMatchObject(unavailable);
  });
});
