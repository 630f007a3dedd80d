import { beforeEach, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { Account } from '../../../src/database/entities/index.ts';
import { readPlans } from '../../../src/composition/gateway/read-plans.ts';
import { buildUser } from '../../../src/services/accounts/build-account.ts';
import { AccessTokenSigner } from '../../../src/services/keys/secrets/access-token.ts';
import { AccessTokensService } from '../../../src/services/keys/access-tokens.service.ts';
import { MemoryKeyDirectory } from '../../../src/services/keys/key-directory.ts';
import { KeysService, type ChangedKey } from '../../../src/services/keys/keys.service.ts';
import { KeyPepper } from '../../../src/services/keys/secrets/pepper.ts';
import { watchKeyChanges } from '../../../src/services/keys/watch-key-changes.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

const defaults = { requestsPerMinute: 10, tokensPerMinute: 20, requestsPerDay: 30, concurrency: 40 };
const plans = readPlans({ plans: {}, default_plan: 'free' });
const masterKey = 'a master key for tests, long enough';
const pepper = new KeyPepper([{ version: 1, masterKey }]);
const tokens = new AccessTokenSigner([{ version: 1, masterKey }]);
const DAY_MS = 86_400_000;

describeWithDatabase('secrets of a key', (databases) => {
  let database: Database;
  let clock: FakeClock;
  let directory: MemoryKeyDirectory;
  let keys: KeysService;
  let accessTokens: AccessTokensService;
  let accountId: string;
  let announced: ChangedKey[];
  let people = 0;

  const newDirectory = (): MemoryKeyDirectory =>
    new MemoryKeyDirectory({
      database,
      pepper,
      tokens,
      defaults: () => defaults,
      plans: () => plans,
      clock,
    });

  async function newAccount(): Promise<string> {
    const em = database.em();
    const email = `rotation${++people}@example.com`;
    const { account } = buildUser(em, { email, name: 'P', passwordHash: 'none', plan: 'enterprise' });
    await em.flush();
    return account.id;
  }

  const codeOf = async (secret: string, from = directory): Promise<string> => {
    try {
      await from.find(secret);
      return 'found';
    } catch (error) {
      return error instanceof Error && 'code' in error ? String(error.code) : String(error);
    }
  };

  beforeEach(async () => {
    database ??= await databases.open();
    clock = new FakeClock(Date.now());
    announced = [];
    directory = newDirectory();
    keys = new KeysService({ database, pepper, directory, announce: (changed) => announced.push(changed), clock });
    accessTokens = new AccessTokensService(database, keys, tokens, (id) => directory.revoked(id), clock);
    accountId = await newAccount();
  });

  it('are both valid during the overlap', async () => {
    const { secret, key } = await keys.create(accountId, null, { name: 'k', limits: { concurrency: 3 } });
    await directory.find(secret);
    const rotated = await keys.rotate(accountId, key.id, { overlapSeconds: 60 });
    const [before, after] = [await directory.find(secret), await directory.find(rotated.secret)];
    expect([before.id, after.id]).toEqual([key.id, key.id]);
    expect([before.limits, after.limits]).toEqual([before.limits, { ...defaults, concurrency: 3 }]);
    expect(rotated.key.hint).toContain(rotated.secret.slice(-4));
    expect(after.expiresAt).toBeNull();
    clock.advance(61_000);
    expect([await codeOf(secret), await codeOf(rotated.secret)]).toEqual(['expired_api_key', 'found']);
    // Nor does a process that has not cached it.
    expect(await codeOf(secret, newDirectory())).toBe('expired_api_key');
  });

  it('are rejected while their account is deleted, including tokens, and valid again after it is restored', async () => {
    const { secret, key } = await keys.create(accountId, null, { name: 'k' });
    const rotated = await keys.rotate(accountId, key.id);
    const { token } = await accessTokens.create(accountId, key.id, { scopes: ['inference'] });
    const codes = (from = directory) => Promise.all([secret, rotated.secret, token].map((each) => codeOf(each, from)));
    expect(await codes()).toEqual(['found', 'found', 'found']);
    const setErasure = async (erasedAfter: Date | null): Promise<void> => {
      const em = database.em();
      (await em.findOneOrFail(Account, { id: accountId })).erasedAfter = erasedAfter;
      await em.flush();
      directory.evictAccount(accountId);
    };
    await setErasure(new Date(clock.now() + DAY_MS));
    const refused = ['account_deleted', 'account_deleted', 'account_deleted'];
    expect(await codes()).toEqual(refused);
    // Cached briefly, and the same for a process that has cached none.
    expect(await codes()).toEqual(refused);
    expect(await codes(newDirectory())).toEqual(refused);
    await setErasure(null);
    expect(await codes()).toEqual(['found', 'found', 'found']);
  });

  it('are found together by processes that have cached neither', async () => {
    const { secret, key } = await keys.create(accountId, null, { name: 'k' });
    const rotated = await keys.rotate(accountId, key.id);
    const other = newDirectory();
    const [before, after] = await Promise.all([other.find(secret), other.find(rotated.secret)]);
    expect(after.expiresAt).toBeNull();
    expect(before.expiresAt).toBeGreaterThan(clock.now() + DAY_MS - 60_000);
    expect(before.expiresAt).toBeLessThan(clock.now() + DAY_MS + 60_000);
  });

  it('expire immediately without an overlap, and one after another when rotated again', async () => {
    const { secret: first, key } = await keys.create(accountId, null, { name: 'k' });
    await directory.find(first);
    const second = await keys.rotate(accountId, key.id, { overlapSeconds: 3_600 });
    await directory.find(second.secret);
    const third = await keys.rotate(accountId, key.id, { overlapSeconds: 3_600 });
    expect(await Promise.all([first, second.secret, third.secret].map((secret) => codeOf(secret)))).toEqual([
      'invalid_api_key',
      'found',
      'found',
    ]);
    const fourth = await keys.rotate(accountId, key.id, { overlapSeconds: 0 });
    clock.advance(1);
    expect(await Promise.all([second.secret, third.secret, fourth.secret].map((secret) => codeOf(secret)))).toEqual([
      'invalid_api_key',
      'expired_api_key',
      'found',
    ]);
  });

  it('that are rotated twice concurrently are the two of one order', async () => {
    const { secret, key } = await keys.create(accountId, null, { name: 'k' });
    const both = await Promise.all([keys.rotate(accountId, key.id), keys.rotate(accountId, key.id)]);
    expect(await Promise.all(both.map((rotated) => codeOf(rotated.secret)))).toEqual(['found', 'found']);
    expect(await codeOf(secret)).toBe('invalid_api_key');
  });

  it('are all rejected when the key is revoked', async () => {
    const { secret, key } = await keys.create(accountId, null, { name: 'k' });
    const rotated = await keys.rotate(accountId, key.id);
    const { token } = await accessTokens.create(accountId, key.id, { scopes: ['inference'] });
    for (const each of [secret, rotated.secret, token]) await directory.find(each);
    await keys.revoke(accountId, key.id);
    for (const each of [secret, rotated.secret, token]) expect(await codeOf(each)).toBe('invalid_api_key');
    expect(announced.at(-1)).toEqual({ id: key.id, revoked: true });
    await expect(keys.rotate(accountId, key.id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('can be rotated by their own account only, with an overlap of at most 30 days', async () => {
    const { key } = await keys.create(accountId, null, { name: 'k' });
    await expect(keys.rotate(await newAccount(), key.id)).rejects.toMatchObject({ code: 'not_found' });
    for (const overlapSeconds of [-1, 1.5, 30 * 86_400 + 1])
      await expect(keys.rotate(accountId, key.id, { overlapSeconds })).rejects.toMatchObject({
        code: 'bad_user_input',
      });
    expect(announced).toEqual([]);
  });

  it('that another process changed are read again within a second', async () => {
    const { secret, key } = await keys.create(accountId, null, { name: 'k' });
    const elsewhere = newDirectory();
    await elsewhere.find(secret);
    const told = Promise.withResolvers<void>();
    elsewhere.onChanged(() => told.resolve());
    const stop = watchKeyChanges(database.changes, elsewhere);
    try {
      const rotated = await keys.rotate(accountId, key.id, { overlapSeconds: 0 });
      clock.advance(1);
      await database.changes.poll();
      await told.promise;
      expect([await codeOf(secret, elsewhere), await codeOf(rotated.secret, elsewhere)]).toEqual([
        'expired_api_key',
        'found',
      ]);
      const revoked = new Promise<string>((resolve) => elsewhere.onRevoked(resolve));
      await keys.revoke(accountId, key.id);
      await database.changes.poll();
      expect(await revoked).toBe(key.id);
      expect(await codeOf(rotated.secret, elsewhere)).toBe('invalid_api_key');
    } finally {
      stop();
    }
  });

  it('have tokens with the key’s permissions, narrowed, until they expire', async () => {
    const { key } = await keys.create(accountId, null, {
      name: 'k',
      scopes: ['inference', 'read'],
      limits: { concurrency: 3 },
      allowedModels: ['sandbox/chat'],
    });
    const made = await accessTokens.create(accountId, key.id, { scopes: ['read'], expiresInSeconds: 60 });
    const [one, again] = [await directory.find(made.token), directory.find(made.token)];
    expect(one).toMatchObject({
      id: key.id,
      accountId,
      limits: { ...defaults, concurrency: 3 },
      allowedModels: ['sandbox/chat'],
      expiresAt: made.row.expiresAt.getTime(),
    });
    expect([...one.scopes]).toEqual(['read']);
    expect(again).toBe(one);
    await keys.update(accountId, key.id, { limits: { concurrency: 2 } });
    expect((await directory.find(made.token)).limits.concurrency).toBe(2);
    clock.advance(61_000);
    expect(await codeOf(made.token)).toBe('expired_access_token');
    expect(await codeOf(made.token, newDirectory())).toBe('expired_access_token');
  });

  it('have tokens that expire with the secret that created them, including its overlap', async () => {
    const { secret, key } = await keys.create(accountId, null, { name: 'k' });
    const other = await keys.create(accountId, null, { name: 'other' });
    const made = async (by: string | null): Promise<string> => {
      const maker = by === null ? null : await directory.find(by);
      return (await accessTokens.create(accountId, key.id, { scopes: ['inference'] }, { userId: null, key: maker }))
        .token;
    };
    const before = [await made(secret), await made(null), await made(other.secret)];
    for (const token of before) expect(await codeOf(token)).toBe('found');
    await keys.rotate(accountId, key.id, { overlapSeconds: 60 });
    for (const token of [...before, await made(secret)]) {
      expect(await codeOf(token)).toBe('found');
      expect((await directory.find(token)).expiresAt).toBe(clock.now() + 60_000);
    }
    const after = await made(other.secret);
    await keys.rotate(accountId, key.id, { overlapSeconds: 0 });
    clock.advance(1);
    for (const token of before) expect(await codeOf(token)).toBe('invalid_api_key');
    expect([await codeOf(after), await codeOf(after, newDirectory())]).toEqual([
      'expired_access_token',
      'expired_access_token',
    ]);
    const last = await made(other.secret);
    expect(await codeOf(last)).toBe('found');
    await keys.revoke(accountId, other.key.id);
    expect([await codeOf(last), await codeOf(last, newDirectory())]).toEqual(['invalid_api_key', 'invalid_api_key']);
    expect(await codeOf(await made(null))).toBe('found');
  });

  it('have tokens that are revoked one by one, here immediately and elsewhere soon', async () => {
    const { key } = await keys.create(accountId, null, { name: 'k' });
    const make = () => accessTokens.create(accountId, key.id, { scopes: ['inference'] });
    const [one, other] = [await make(), await make()];
    const elsewhere = newDirectory();
    const stop = watchKeyChanges(database.changes, elsewhere);
    try {
      for (const { token } of [one, other])
        expect([await codeOf(token), await codeOf(token, elsewhere)]).toEqual(['found', 'found']);
      await expect(accessTokens.revoke(await newAccount(), one.row.id)).rejects.toMatchObject({ code: 'not_found' });
      const seen: string[] = [];
      elsewhere.onRevoked((id) => seen.push(id));
      await accessTokens.revoke(accountId, one.row.id);
      expect(await codeOf(one.token)).toBe('invalid_api_key');
      await database.changes.poll();
      expect(seen).toContain(one.row.id);
      expect(await codeOf(one.token, elsewhere)).toBe('invalid_api_key');
      expect([await codeOf(other.token), await codeOf(other.token, elsewhere)]).toEqual(['found', 'found']);
      await expect(accessTokens.revoke(accountId, one.row.id)).rejects.toMatchObject({ code: 'not_found' });
      const listed = await accessTokens.list(accountId, key.id, { limit: 10 });
      expect(listed.rows.map(({ id }) => id)).toEqual([other.row.id]);
    } finally {
      stop();
    }
  });

  it('are rotated by the current one only, whatever other processes have cached', async () => {
    const { secret, key } = await keys.create(accountId, null, { name: 'k' });
    const known = await directory.find(secret);
    await keys.rotate(accountId, key.id);
    await expect(keys.rotate(accountId, key.id, {}, known)).rejects.toMatchObject({ code: 'credential_ends' });
  });

  it('have tokens with no more permissions than the key', async () => {
    const expiresAt = new Date(clock.now() + 30_000);
    const { key } = await keys.create(accountId, null, { name: 'k', expiresAt });
    const made = await accessTokens.create(accountId, key.id, { scopes: ['inference'], expiresInSeconds: 3_600 });
    expect(made.row.expiresAt).toEqual(expiresAt);
    for (const input of [
      { scopes: ['manage' as const] },
      { scopes: [] },
      { scopes: ['inference' as const], expiresInSeconds: 3_601 },
      { scopes: ['inference' as const], expiresInSeconds: 0 },
    ])
      await expect(accessTokens.create(accountId, key.id, input)).rejects.toMatchObject({ code: 'bad_user_input' });
    await expect(accessTokens.create(await newAccount(), key.id, { scopes: ['inference'] })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
