import { beforeEach, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { buildUser } from '../../../src/services/accounts/build-account.ts';
import { generateSecret } from '../../../src/services/keys/secrets/key-format.ts';
import { MemoryKeyDirectory } from '../../../src/services/keys/key-directory.ts';
import { KeysService } from '../../../src/services/keys/keys.service.ts';
import { KeyPepper } from '../../../src/services/keys/secrets/pepper.ts';
import { readPlans } from '../../../src/composition/gateway/read-plans.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

const defaults = { requestsPerMinute: 10, tokensPerMinute: 20, requestsPerDay: 30, concurrency: 40 };
const plans = readPlans({ plans: {}, default_plan: 'free' });
const pepper = new KeyPepper([{ version: 1, masterKey: 'a master key for tests, long enough' }]);

describeWithDatabase('API keys', (databases) => {
  let database: Database;
  let queries: number;
  let directory: MemoryKeyDirectory;
  let keys: KeysService;
  let accountId: string;
  let clock: FakeClock;
  let people = 0;

  beforeEach(async () => {
    database = await databases.open();
    queries = 0;
    clock = new FakeClock(Date.now());
    const counted: Database = {
      ...database,
      em: () => {
        queries++;
        return database.em();
      },
    };
    directory = new MemoryKeyDirectory({
      database: counted,
      pepper,
      defaults: () => defaults,
      plans: () => plans,
      clock,
    });
    keys = new KeysService({ database, pepper, directory });
    accountId = await newAccount();
  });

  async function newAccount(): Promise<string> {
    const em = database.em();
    const { account } = buildUser(em, {
      email: `p${++people}@example.com`,
      name: 'P',
      passwordHash: null,
      plan: 'enterprise',
    });
    await em.flush();
    return account.id;
  }

  it('are limited by the plan, also for concurrent requests', async () => {
    const two = readPlans({ plans: { enterprise: { api_keys: 2 } }, default_plan: 'free' });
    const bounded = new KeysService({ database, pepper, directory, clock, plans: () => two });
    const make = () => bounded.create(accountId, null, { name: 'k' });
    const made = await Promise.allSettled(Array.from({ length: 8 }, make));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    await expect(make()).rejects.toMatchObject({
      code: 'too_many_api_keys',
      message: expect.stringContaining('2 API keys'),
    });
    // An account with more keys retains them.
    const { key } = await keys.create(accountId, null, { name: 'operator' });
    await bounded.revoke(accountId, key.id);
    await expect(make()).rejects.toMatchObject({ code: 'too_many_api_keys' });
    const [first] = (await bounded.list(accountId, {}, { limit: 1 })).rows;
    await bounded.revoke(accountId, first?.id ?? '');
    await make();
  });

  it('are looked up in the database once, then in memory', async () => {
    const { secret, key } = await keys.create(accountId, null, { name: 'k', limits: { concurrency: 7 } });
    const [one, other] = await Promise.all([directory.find(secret), directory.find(secret)]);
    expect(queries).toBe(1);
    expect(one).toBe(other);
    expect(one).toMatchObject({ id: key.id, accountId, limits: { ...defaults, concurrency: 7 }, liveContent: true });
    expect(directory.find(secret)).toBe(one);
    expect(queries).toBe(1);
  });

  it('have limits per model and capability besides their own and their account’s', async () => {
    const { secret, key } = await keys.create(accountId, null, {
      name: 'k',
      limits: {
        perModel: [
          { model: 'openai/gpt', requestsPerMinute: 5 },
          { model: 'fast', tokensPerMinute: 100, concurrency: null },
        ],
        perCapability: [{ capability: 'images', requestsPerDay: 9 }],
      },
    });
    const none = {
      requestsPerMinute: Infinity,
      tokensPerMinute: Infinity,
      requestsPerDay: Infinity,
      concurrency: Infinity,
    };
    const found = await directory.find(secret);
    expect(found).toMatchObject({ limits: defaults, accountLimits: null });
    expect(found.partLimits).toEqual({
      models: new Map([
        ['openai/gpt', { ...none, requestsPerMinute: 5 }],
        ['fast', { ...none, tokensPerMinute: 100 }],
      ]),
      capabilities: new Map([['images', { ...none, requestsPerDay: 9 }]]),
    });
    await keys.update(accountId, key.id, { limits: { concurrency: 3 } });
    expect(await directory.find(secret)).toMatchObject({ limits: { ...defaults, concurrency: 3 }, partLimits: null });
  });

  it.each([
    [{ perModel: [{ model: 'a' }] }, 'limits.perModel.0: must contain at least one limit'],
    [{ perModel: [{ model: '', concurrency: 1 }] }, 'limits.perModel.0.model'],
    [
      {
        perModel: [
          { model: 'a', concurrency: 1 },
          { model: 'a', requestsPerDay: 1 },
        ],
      },
      'limits.perModel.1: must not be listed twice',
    ],
    [{ perCapability: [{ capability: 'thought', concurrency: 1 }] }, 'must be one of chat, embeddings'],
    [{ perCapability: [{ capability: 'chat', concurrency: 0 }] }, 'limits.perCapability.0.concurrency'],
    [{ perModel: Array.from({ length: 51 }, (_, at) => ({ model: `m${at}`, concurrency: 1 })) }, 'limits.perModel'],
  ])('reject the limits %j', async (limits, told) => {
    const refused = keys.create(accountId, null, { name: 'k', limits });
    await expect(refused).rejects.toMatchObject({ code: 'bad_user_input', message: expect.stringContaining(told) });
  });

  it('are rejected immediately after revocation, also during a lookup', async () => {
    const { secret, key } = await keys.create(accountId, null, { name: 'k' });
    const told: string[] = [];
    directory.onRevoked((id) => told.push(id));
    await directory.find(secret);
    await keys.revoke(accountId, key.id);
    expect(told).toEqual([key.id]);
    await expect(Promise.resolve().then(() => directory.find(secret))).rejects.toMatchObject({
      code: 'invalid_api_key',
    });
    const second = await keys.create(accountId, null, { name: 'second' });
    const lookup = directory.find(second.secret);
    await keys.revoke(accountId, second.key.id);
    await Promise.resolve(lookup).catch(() => undefined);
    await expect(Promise.resolve().then(() => directory.find(second.secret))).rejects.toMatchObject({
      code: 'invalid_api_key',
    });
  });

  it('that do not exist are looked up once', async () => {
    const secret = generateSecret();
    await expect(directory.find(secret)).rejects.toMatchObject({ code: 'invalid_api_key' });
    expect(() => directory.find(secret)).toThrow(/Incorrect API key/);
    expect(queries).toBe(1);
    clock.advance(11_000);
    await expect(directory.find(secret)).rejects.toMatchObject({ code: 'invalid_api_key' });
    expect(queries).toBe(2);
  });

  it.each([
    '',
    'sk-sluice-',
    'x'.repeat(1_000_000),
    'sk-sluice-ÄÖÜ',
    "' or 1=1 --",
    'sk-sluice-0000000000000000000000000000000000000000',
  ])('with an invalid format cause no query (%#)', (secret) => {
    expect(() => directory.find(secret)).toThrow(/Incorrect API key/);
    expect(queries).toBe(0);
  });

  it('expire', async () => {
    const { secret } = await keys.create(accountId, null, { name: 'k', expiresAt: new Date(clock.now() + 60_000) });
    await directory.find(secret);
    clock.advance(60_000);
    expect(() => directory.find(secret)).toThrow(/expired/);
  });

  it('return 503, never 401, while the database is unavailable', async () => {
    const away = new MemoryKeyDirectory({
      database: {
        ...database,
        em: () => {
          throw new Error('away');
        },
      },
      pepper,
      defaults: () => defaults,
      plans: () => plans,
    });
    await expect(away.find(generateSecret())).rejects.toMatchObject({ code: 'database_unavailable', status: 503 });
  });

  it('apply changes with their next use', async () => {
    const { secret, key } = await keys.create(accountId, null, { name: 'k' });
    await directory.find(secret);
    await keys.update(accountId, key.id, { name: 'renamed', limits: { requestsPerMinute: 3 }, liveContent: false });
    expect(await directory.find(secret)).toMatchObject({
      name: 'renamed',
      limits: { requestsPerMinute: 3 },
      liveContent: false,
    });
    await keys.update(accountId, key.id, { limits: null });
    expect(await directory.find(secret)).toMatchObject({ limits: defaults });
  });

  it('belong to one account', async () => {
    const other = await newAccount();
    const { key } = await keys.create(accountId, null, { name: 'k' });
    await expect(keys.get(other, key.id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(keys.update(other, key.id, { name: 'x' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(keys.revoke(other, key.id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await keys.byIds(other, [key.id])).toEqual([]);
  });

  it('are paged in both directions, without the built-in one', async () => {
    for (let index = 0; index < 5; index++) await keys.create(accountId, null, { name: `k${index}` });
    const all = await keys.list(accountId, {}, { limit: 10 });
    expect(all.rows.map(({ name }) => name).toSorted()).toEqual(['k0', 'k1', 'k2', 'k3', 'k4']);
    const [, second, third, fourth] = all.rows;
    const after = await keys.list(accountId, {}, { limit: 2, after: second });
    expect(after.rows.map(({ id }) => id)).toEqual([third?.id, fourth?.id]);
    expect(after.hasMore).toBe(true);
    const last = await keys.list(accountId, {}, { limit: 2, backwards: true, before: fourth });
    expect(last.rows.map(({ id }) => id)).toEqual([second?.id, third?.id]);
    expect(await keys.count(accountId, { nameContains: '%' })).toBe(0);
    expect(await keys.count(accountId, { nameContains: 'K3' })).toBe(1);
  });

  it('include a built-in one for sessions, without a secret', async () => {
    expect(await directory.dashboardKey(accountId)).toMatchObject({ accountId, name: 'dashboard' });
    await expect(directory.dashboardKey('00000000-0000-4000-8000-000000000000')).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
