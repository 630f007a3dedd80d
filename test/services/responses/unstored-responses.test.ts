import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import type { NewResponse } from '../../../src/gateway/capabilities/responses/background/run-store.ts';
import { accountReach } from '../../../src/services/object-reach.ts';
import { publicResponseId } from '../../../src/services/responses/response-id.ts';
import { ChangeSignal } from '../../../src/live/change-signal.ts';
import { ResponsesService } from '../../../src/services/responses/responses.service.ts';
import {
  unstoredResponse,
  unstoredResponses,
  type UnstoredResponses,
} from '../../../src/services/responses/unstored-responses.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { awayAtTimes, givenResponse, newAccount } from './given-response.ts';

const accountId = '00000000-0000-4000-8000-0000000000aa';
const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

interface Statement {
  /** The UUIDs of its rows. */
  readonly ids: readonly string[];
  succeed(): void;
  fail(error: Error): void;
}

/** A database whose statements end on demand. */
class ToldDatabase {
  readonly statements: Statement[] = [];

  query<Row extends object>(_text: string, [rows]: readonly unknown[] = []): Promise<Row[]> {
    const given: { id: string }[] = JSON.parse(String(rows));
    return new Promise((resolve, fail) => {
      this.statements.push({ ids: given.map(({ id }) => id), succeed: () => resolve([]), fail });
    });
  }

  get last(): Statement {
    return this.statements.at(-1) ?? expect.fail('nothing was sent');
  }
}

describe('pending responses', () => {
  let database: ToldDatabase;
  let lost: { readonly responses: readonly string[]; readonly count: number }[];
  let unstored: UnstoredResponses;
  let clock: FakeClock;

  beforeEach(() => {
    clock = new FakeClock();
    database = new ToldDatabase();
    lost = [];
    const warn = (fields: object): void => {
      if ('responses' in fields && Array.isArray(fields.responses) && 'count' in fields)
        lost.push({ responses: fields.responses.map(String), count: Number(fields.count) });
    };
    unstored = unstoredResponses({ database, log: { warn }, clock });
  });

  function added(count: number): NewResponse[] {
    const responses = Array.from({ length: count }, () => givenResponse(accountId));
    for (const response of responses) unstored.add(unstoredResponse(response));
    return responses;
  }

  const held = ({ id }: NewResponse): boolean => unstored.find(accountReach(accountId), id) !== null;
  const idsOf = (responses: readonly NewResponse[]): string[] => responses.map(({ id }) => id);
  const settled = (): Promise<unknown> => clock.advanceAsync(0);

  it('are stored immediately, one statement at a time for all that arrived meanwhile', async () => {
    const first = added(1);
    const next = added(3);
    expect(database.statements.map(({ ids }) => ids)).toEqual([idsOf(first)]);
    expect([...first, ...next].every(held)).toBe(true);
    database.last.succeed();
    await settled();
    expect(first.some(held)).toBe(false);
    expect(next.every(held)).toBe(true);
    expect(database.statements.slice(1).map(({ ids }) => ids)).toEqual([idsOf(next)]);
    database.last.succeed();
    await settled();
    expect(next.some(held)).toBe(false);
    added(1);
    expect(database.statements).toHaveLength(3);
  });

  it('are found only by their account', () => {
    const [one] = added(1);
    if (one === undefined) throw new Error('there is one');
    expect(unstored.find(accountReach(accountId), one.id)).toMatchObject({
      id: one.id,
      response: one.response,
      input: one.input,
    });
    expect(unstored.find(accountReach('00000000-0000-4000-8000-0000000000bb'), one.id)).toBeNull();
  });

  it('are stored in batches if they are many or large', async () => {
    added(1);
    const many = added(150);
    database.last.succeed();
    await settled();
    expect(database.last.ids).toEqual(idsOf(many.slice(0, 100)));
    database.last.succeed();
    await settled();
    expect(database.last.ids).toEqual(idsOf(many.slice(100)));
    const large = [0, 1].map(() => givenResponse(accountId, { said: 'x'.repeat(3_000_000) }));
    for (const response of large) unstored.add(unstoredResponse(response));
    for (const response of large) {
      database.last.succeed();
      await settled();
      expect(database.last.ids).toEqual([response.id]);
    }
  });

  it('are retried during a database outage, then reported as lost once', async () => {
    const [one] = added(1);
    for (const ms of [1_000, 5_000, 30_000]) {
      database.last.fail(away);
      await settled();
      const sent = database.statements.length;
      await clock.advanceAsync(ms - 1);
      expect(database.statements).toHaveLength(sent);
      await clock.advanceAsync(1);
      expect(database.statements).toHaveLength(sent + 1);
      expect(lost).toEqual([]);
    }
    database.last.fail(away);
    await settled();
    expect(lost).toEqual([{ responses: [publicResponseId(one?.id ?? '')], count: 1 }]);
    await clock.advanceAsync(60_000);
    expect(database.statements).toHaveLength(4);
  });

  it('are stored when the database is available again', async () => {
    const first = added(1);
    database.last.fail(away);
    await settled();
    const later = added(1);
    expect(database.statements).toHaveLength(1);
    await clock.advanceAsync(1_000);
    expect(database.last.ids).toEqual(idsOf([...first, ...later]));
    database.last.succeed();
    await settled();
    expect([...first, ...later].some(held)).toBe(false);
    expect(lost).toEqual([]);
  });

  it('are dropped individually if the database rejects one', async () => {
    added(1);
    const [good, bad, other] = added(3);
    database.last.succeed();
    await settled();
    const refused = Object.assign(new Error('violates foreign key constraint'), { code: '23503' });
    database.last.fail(refused);
    await settled();
    expect(database.last.ids).toEqual([good?.id]);
    database.last.succeed();
    await settled();
    expect(database.last.ids).toEqual([bad?.id]);
    database.last.fail(refused);
    await settled();
    expect(database.last.ids).toEqual([other?.id]);
    database.last.succeed();
    await settled();
    expect(lost).toEqual([{ responses: [publicResponseId(bad?.id ?? '')], count: 1 }]);
  });

  it('are limited: the oldest are dropped', () => {
    const many = added(10_001);
    expect(lost.map(({ count }) => count)).toEqual([1_001]);
    expect(lost[0]?.responses).toEqual(idsOf(many.slice(0, 20)).map(publicResponseId));
    expect(many.map(held)).toEqual(many.map((_, at) => at >= 1_001));
  });

  it('are kept when one is too large to wait', () => {
    const others = added(2);
    const large = givenResponse(accountId, { said: 'x'.repeat(67_108_864) });
    unstored.add(unstoredResponse(large));
    expect(lost).toEqual([{ responses: [publicResponseId(large.id)], count: 1 }]);
    expect(others.every(held)).toBe(true);
  });

  it('are stored at shutdown', async () => {
    const [one] = added(1);
    database.last.fail(away);
    await settled();
    let closed = false;
    const closing = unstored.close().then(() => (closed = true));
    await settled();
    expect(database.statements).toHaveLength(2);
    expect(closed).toBe(false);
    database.last.succeed();
    await closing;
    expect(one && held(one)).toBe(false);
    expect(lost).toEqual([]);
  });

  it('delay the shutdown by some seconds at most', async () => {
    added(2);
    const closing = unstored.close();
    await clock.advanceAsync(5_000);
    await closing;
    expect(lost.map(({ count }) => count)).toEqual([2]);
  });

  it('do not delay the shutdown if there are none', async () => {
    await unstored.close();
    expect(database.statements).toEqual([]);
  });

  it('are withdrawn once no statement stores them any more', async () => {
    const [first] = added(1);
    const [next] = added(1);
    if (first === undefined || next === undefined) throw new Error('there are two');
    expect(await unstored.withdraw(accountReach('00000000-0000-4000-8000-0000000000bb'), first.id)).toBe(false);
    let isOver = false;
    const giving = unstored.withdraw(accountReach(accountId), first.id).then((was) => (isOver = was));
    await settled();
    expect(isOver).toBe(false);
    database.last.succeed();
    await settled();
    await giving;
    expect(isOver).toBe(true);
    const storing = database.last;
    expect(storing.ids).toEqual([next.id]);
    storing.succeed();
    await settled();
    expect(await unstored.withdraw(accountReach(accountId), next.id)).toBe(false);
  });
});

describeWithDatabase('responses stored in the background', (databases) => {
  let database: Database;
  let accountId: string;

  beforeAll(async () => {
    database = await databases.open();
    accountId = await newAccount(database);
  });

  const count = async (): Promise<number> => {
    const rows = await database.query('select id from responses where account_id = $1', [accountId]);
    return rows.length;
  };

  it('are found immediately, and the same once stored', async () => {
    const state = awayAtTimes(database, 'insert into responses');
    const log = { warn: vi.fn() };
    const service = new ResponsesService({ database: state.database, changes: new ChangeSignal(), log });
    const given = givenResponse(accountId, { said: 'a\0b', costNano: 9_007_199_254_740_993n });
    const publicId = publicResponseId(given.id);
    service.storeSoon(given);
    const before = await service.get(accountReach(accountId), publicId);
    expect(await count()).toBe(0);
    expect(before).toMatchObject({ id: given.id, costNano: 9_007_199_254_740_993n, status: 'completed' });
    const page = { limit: 10, order: 'desc', after: publicId } as const;
    expect(await service.list(accountReach(accountId), page, true)).toEqual({ rows: [], hasMore: false });
    await expect(service.get(accountReach(await newAccount(database)), publicId)).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(service.requestCancel(accountReach(accountId), publicId)).rejects.toMatchObject({
      code: 'response_not_background',
    });
    state.away = false;
    await expect.poll(count).toBe(1);
    const { account, ...after } = await service.get(accountReach(accountId), publicId);
    const { account: accountBefore, ...rest } = before;
    expect(after).toEqual(rest);
    expect(account.id).toBe(accountBefore.id);
    await service.close();
    expect(log.warn).not.toHaveBeenCalled();
    await service.remove(accountReach(accountId), publicId);
  });

  it('can be removed before they are stored', async () => {
    const state = awayAtTimes(database, 'insert into responses');
    const log = { warn: vi.fn() };
    const service = new ResponsesService({ database: state.database, changes: new ChangeSignal(), log });
    const [one, two] = [givenResponse(accountId), givenResponse(accountId)];
    service.storeSoon(one);
    service.storeSoon(two);
    await service.remove(accountReach(accountId), publicResponseId(one.id));
    await expect(service.get(accountReach(accountId), publicResponseId(one.id))).rejects.toMatchObject({
      code: 'not_found',
    });
    state.away = false;
    await service.close();
    expect(await count()).toBe(1);
    await expect(service.get(accountReach(accountId), publicResponseId(one.id))).rejects.toMatchObject({
      code: 'not_found',
    });
    await service.remove(accountReach(accountId), publicResponseId(two.id));
  });

  it('are stored together, except one whose account was deleted', async () => {
    const warn = vi.fn();
    const service = new ResponsesService({ database, changes: new ChangeSignal(), log: { warn } });
    const good = Array.from({ length: 20 }, () => givenResponse(accountId));
    const bad = givenResponse('00000000-0000-4000-8000-0000000000cc');
    for (const response of [...good.slice(0, 10), bad, ...good.slice(10)]) service.storeSoon(response);
    await service.close();
    expect(await count()).toBe(20);
    const fields = { count: 1, responses: [publicResponseId(bad.id)] };
    expect(warn.mock.calls).toEqual([[expect.objectContaining(fields), expect.any(String)]]);
  });
});
