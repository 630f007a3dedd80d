import { beforeAll, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import type { NewResponse } from '../../../src/gateway/capabilities/responses/background/run-store.ts';
import { accountReach } from '../../../src/services/object-reach.ts';
import { publicResponseId } from '../../../src/services/responses/response-id.ts';
import { ChangeSignal } from '../../../src/live/change-signal.ts';
import { ResponsesService, type StoredEvent } from '../../../src/services/responses/responses.service.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { awayAtTimes, givenRequest, givenResponse, leaseOf, newAccount } from './given-response.ts';

const LEASE_MS = 60_000;
const log = { warn: () => undefined };

function events(from: number, to: number): StoredEvent[] {
  return Array.from({ length: to - from + 1 }, (_, at) => ({ sequenceNumber: from + at, json: `{"n":${from + at}}` }));
}

const told = (from: number, to: number): string[] => events(from, to).map(({ json }) => json);

describeWithDatabase('watching a response', (databases) => {
  let database: Database;
  let changes: ChangeSignal;
  let service: ResponsesService;
  let accountId: string;

  beforeAll(async () => {
    database = await databases.open();
    changes = new ChangeSignal();
    service = new ResponsesService({ database, changes, log });
    accountId = await newAccount(database);
  });

  async function begun(): Promise<NewResponse> {
    const response = givenResponse(accountId, { status: 'queued', said: null });
    await service.begin(response, givenRequest, LEASE_MS);
    return response;
  }

  function watch(
    { id }: { readonly id: string },
    after: number,
    { signal }: AbortController = new AbortController(),
  ): AsyncGenerator<string, void> {
    return service.watch(accountReach(accountId), publicResponseId(id), after, signal);
  }

  async function all(watching: AsyncGenerator<string, void>): Promise<string[]> {
    const seen: string[] = [];
    for await (const json of watching) seen.push(json);
    return seen;
  }

  const finish = ({ id, response }: NewResponse): Promise<boolean> =>
    service.finish(leaseOf(id), { ...response, status: 'completed' }, null);

  it('streams its events to its end', async () => {
    const one = await begun();
    await service.append(leaseOf(one.id), events(0, 1));
    const watching = watch(one, -1);
    const seen = [(await watching.next()).value, (await watching.next()).value];
    expect(seen).toEqual(told(0, 1));
    const next = watching.next();
    await service.append(leaseOf(one.id), events(2, 3));
    changes.notify(one.id);
    expect((await next).value).toBe('{"n":2}');
    const rest = all(watching);
    await service.append(leaseOf(one.id), events(4, 4));
    await finish(one);
    changes.notify(one.id);
    expect(await rest).toEqual(told(3, 4));
  });

  it('streams what another process stores, without a notification', async () => {
    const one = await begun();
    const seen = all(watch(one, -1));
    await service.append(leaseOf(one.id), events(0, 2));
    await finish(one);
    expect(await seen).toEqual(told(0, 2));
  });

  it('streams all events to each watcher, from its own position', async () => {
    const one = await begun();
    await service.append(leaseOf(one.id), events(0, 1_203));
    const watching = [watch(one, -1), watch(one, 499), watch(one, 1_203), watch(one, 5_000)].map(all);
    await finish(one);
    changes.notify(one.id);
    expect(await Promise.all(watching)).toEqual([told(0, 1_203), told(500, 1_203), [], []]);
  });

  it('can be repeated after the response has ended', async () => {
    const one = await begun();
    await service.append(leaseOf(one.id), events(0, 4));
    await finish(one);
    expect(await all(watch(one, -1))).toEqual(told(0, 4));
    expect(await all(watch(one, 2))).toEqual(told(3, 4));
  });

  it('fails with not found if the response is deleted meanwhile', async () => {
    const one = await begun();
    await service.append(leaseOf(one.id), events(0, 0));
    const watching = watch(one, -1);
    expect((await watching.next()).value).toBe('{"n":0}');
    const next = watching.next();
    await service.remove(accountReach(accountId), publicResponseId(one.id));
    changes.notify(one.id);
    await expect(next).rejects.toMatchObject({ code: 'not_found' });
  });

  it('stops when the watcher leaves', async () => {
    const one = await begun();
    const leaving = new AbortController();
    const seen = all(watch(one, -1, leaving));
    leaving.abort();
    expect(await seen).toEqual([]);
  });

  it('streams nothing for a foreground response, stored or pending', async () => {
    const away = awayAtTimes(database, 'insert into responses');
    const other = new ResponsesService({ database: away.database, changes, log });
    const given = givenResponse(accountId);
    const publicId = publicResponseId(given.id);
    other.storeSoon(given);
    const never = new AbortController().signal;
    expect(await all(other.watch(accountReach(accountId), publicId, -1, never))).toEqual([]);
    away.away = false;
    await other.close();
    expect(await all(service.watch(accountReach(accountId), publicId, -1, never))).toEqual([]);
  });
});
