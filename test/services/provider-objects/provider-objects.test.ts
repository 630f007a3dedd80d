import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { accountReach } from '../../../src/services/object-reach.ts';
import { ProviderObjectsService } from '../../../src/services/provider-objects/provider-objects.service.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { awayAtTimes, newAccount } from '../responses/given-response.ts';

const DAY_MS = 86_400_000;
const silent = { warn: () => undefined };

describeWithDatabase('objects at providers', (databases) => {
  let database: Database;
  let service: ProviderObjectsService;
  let accountId: string;
  let apiKeyId: string;

  beforeAll(async () => {
    database = await databases.open();
  });

  beforeEach(async () => {
    accountId = await newAccount(database);
    apiKeyId = randomUUID();
    service = new ProviderObjectsService({ database, log: silent });
  });

  function record(
    ids: readonly string[],
    connectionId = 'openai',
    given: Partial<{ accountId: string; apiKeyId: string }> = {},
  ): void {
    service.record({ accountId, apiKeyId, connectionId, objectIds: ids, ...given });
  }

  it('are found by their account at once and after they are stored', async () => {
    record(['resp_1', 'msg_1']);
    const expected = new Map([
      ['resp_1', ['openai']],
      ['msg_1', ['openai']],
    ]);
    expect(await service.find(accountReach(accountId), ['resp_1', 'msg_1', 'resp_2'])).toEqual(expected);
    await service.close();
    const another = new ProviderObjectsService({ database, log: silent });
    expect(await another.find(accountReach(accountId), ['resp_1', 'msg_1', 'resp_2'])).toEqual(expected);
  });

  it.each([
    ['another account', () => accountReach(randomUUID())],
    ['another key', () => ({ accountId, apiKeyId: randomUUID() })],
  ])('are not found by %s', async (_who, reach) => {
    record(['resp_1']);
    expect(await service.find(reach(), ['resp_1'])).toEqual(new Map());
    await service.close();
    expect(await service.find(reach(), ['resp_1'])).toEqual(new Map());
  });

  it('are neither stored nor found by what the database does not take', async () => {
    const odd = ['resp_\0', 'resp_\ud800', '\0', 'x'.repeat(257)];
    record([...odd, 'resp_1']);
    for (const isStored of [false, true]) {
      expect(await service.find(accountReach(accountId), odd)).toEqual(new Map());
      expect(await service.find(accountReach(accountId), [...odd, 'resp_1'])).toEqual(
        new Map([['resp_1', ['openai']]]),
      );
      if (!isStored) await service.close();
    }
    for (const id of odd) await service.forget(accountReach(accountId), 'openai', id);
  });

  it('are found by their own key', async () => {
    record(['resp_1']);
    await service.close();
    expect(await service.find({ accountId, apiKeyId }, ['resp_1'])).toEqual(new Map([['resp_1', ['openai']]]));
  });

  it('are found by each key that obtained them, and forgotten for all', async () => {
    const otherKey = randomUUID();
    const asOther = new ProviderObjectsService({ database, log: silent });
    record(['resp_1', 'msg_1']);
    await service.close();
    asOther.record({ accountId, apiKeyId: otherKey, connectionId: 'openai', objectIds: ['resp_1'] });
    await asOther.close();
    const found = new Map([['resp_1', ['openai']]]);
    expect(await service.find({ accountId, apiKeyId }, ['resp_1'])).toEqual(found);
    expect(await service.find({ accountId, apiKeyId: otherKey }, ['resp_1', 'msg_1'])).toEqual(found);
    expect(await service.find(accountReach(accountId), ['resp_1'])).toEqual(found);
    await service.forget({ accountId, apiKeyId }, 'openai', 'resp_1');
    expect(await service.find(accountReach(accountId), ['resp_1'])).toEqual(new Map());
    expect(await service.find({ accountId, apiKeyId: otherKey }, ['resp_1'])).toEqual(new Map());
  });

  it('are forgotten when they are deleted', async () => {
    record(['resp_1', 'resp_2']);
    await service.forget(accountReach(accountId), 'openai', 'resp_1');
    expect(await service.find(accountReach(accountId), ['resp_1', 'resp_2'])).toEqual(
      new Map([['resp_2', ['openai']]]),
    );
  });

  it('are found at each connection that holds one by the same id, and forgotten there alone', async () => {
    record(['resp_1'], 'openai');
    await service.close();
    const another = new ProviderObjectsService({ database, log: silent });
    another.record({ accountId, apiKeyId, connectionId: 'azure', objectIds: ['resp_1', 'resp_2'] });
    const found = async () => await another.find(accountReach(accountId), ['resp_1', 'resp_2']);
    expect((await found()).get('resp_2')).toEqual(['azure']);
    expect(new Set((await found()).get('resp_1'))).toEqual(new Set(['openai', 'azure']));
    await another.close();
    expect(new Set((await found()).get('resp_1'))).toEqual(new Set(['openai', 'azure']));
    await another.forget(accountReach(accountId), 'openai', 'resp_1');
    expect((await found()).get('resp_1')).toEqual(['azure']);
  });

  it('are found without the database until they are stored', async () => {
    const clock = new FakeClock();
    const away: Pick<Database, 'query'> = { query: () => Promise.reject(new Error('connect ECONNREFUSED')) };
    service = new ProviderObjectsService({ database: away, log: silent, clock });
    record(['resp_1']);
    expect(await service.find(accountReach(accountId), ['resp_1'])).toEqual(new Map([['resp_1', ['openai']]]));
    await expect(service.find(accountReach(accountId), ['resp_1', 'resp_2'])).rejects.toThrow();
  });

  it('are stored after an outage of the database', async () => {
    const clock = new FakeClock();
    const state = awayAtTimes(database, 'insert into provider_objects');
    service = new ProviderObjectsService({ database: state.database, log: silent, clock });
    record(['resp_1']);
    await clock.whenPending(1);
    state.away = false;
    clock.advance(5_000);
    await service.close();
    const another = new ProviderObjectsService({ database, log: silent });
    expect(await another.find(accountReach(accountId), ['resp_1'])).toEqual(new Map([['resp_1', ['openai']]]));
  });

  it('of an account that is deleted meanwhile do not keep others from being stored', async () => {
    record(['resp_gone'], 'openai', { accountId: randomUUID() });
    record(['resp_1']);
    await service.close();
    const another = new ProviderObjectsService({ database, log: silent });
    expect(await another.find(accountReach(accountId), ['resp_1'])).toEqual(new Map([['resp_1', ['openai']]]));
  });

  it('expire after 30 days', async () => {
    record(['resp_1']);
    await service.close();
    const later = (days: number): ProviderObjectsService =>
      new ProviderObjectsService({ database, log: silent, clock: new FakeClock(Date.now() + days * DAY_MS) });
    await later(29).removeExpired();
    expect((await service.find(accountReach(accountId), ['resp_1'])).size).toBe(1);
    await later(31).removeExpired();
    expect((await service.find(accountReach(accountId), ['resp_1'])).size).toBe(0);
  });
});
