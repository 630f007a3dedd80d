import { expect, it } from 'vitest';
import { readPlans } from '../../../src/composition/gateway/read-plans.ts';
import { redactionEngine } from '../../../src/gateway/content/redaction/redaction-engine.ts';
import { buildUser } from '../../../src/services/accounts/build-account.ts';
import { ContentLoggingService } from '../../../src/services/accounts/content-logging.service.ts';
import { MemoryKeyDirectory } from '../../../src/services/keys/key-directory.ts';
import { KeysService } from '../../../src/services/keys/keys.service.ts';
import { KeyPepper } from '../../../src/services/keys/secrets/pepper.ts';
import { describeWithDatabase } from '../../harness/databases.ts';

const limits = { requestsPerMinute: 1, tokensPerMinute: 1, requestsPerDay: 1, concurrency: 1 };
const plans = readPlans({ plans: {}, default_plan: 'free' });
const pepper = new KeyPepper([{ version: 1, masterKey: 'a master key for tests, long enough' }]);

describeWithDatabase('the content logging of an account', (databases) => {
  async function setUp(contentDefault: 'off' | 'full') {
    const database = await databases.open();
    const em = database.em();
    const { account } = buildUser(em, { email: 'p@example.com', name: 'P', passwordHash: null, plan: 'enterprise' });
    await em.flush();
    const open = () =>
      new MemoryKeyDirectory({ database, pepper, defaults: () => limits, plans: () => plans, contentDefault });
    const [directory, other] = [open(), open()];
    const keys = new KeysService({ database, pepper, directory });
    const contentLogging = new ContentLoggingService({
      database,
      defaultLevel: contentDefault,
      engine: redactionEngine,
      changed: (id) => directory.evictAccount(id),
    });
    return { database, accountId: account.id, directory, other, keys, contentLogging };
  }

  it('reaches keys that are in memory', async () => {
    const { accountId, directory, keys, contentLogging } = await setUp('off');
    const { secret, key } = await keys.create(accountId, null, { name: 'k' });
    const { content: initial } = await directory.find(secret);
    expect(initial).toMatchObject({ account: 'off', key: null, keyMayRaise: false, retentionDays: 30 });
    const redaction = { detectors: ['card' as const], customPatterns: [{ name: 'ticket', pattern: 'T-[0-9]+' }] };
    await contentLogging.update(accountId, { level: 'metadata', retentionDays: 3, redaction });
    await keys.update(accountId, key.id, { contentLevel: 'full', contentMayRaise: true });
    const { content } = await directory.find(secret);
    expect(content).toEqual({
      account: 'metadata',
      key: 'full',
      keyMayRaise: true,
      isSearchable: false,
      retentionDays: 3,
      redaction,
    });
    expect((await directory.find(secret)).content).toBe(content);
  });

  it('has the level of the instance until it is set, and again after it is cleared', async () => {
    const { accountId, directory, keys, contentLogging } = await setUp('full');
    const { secret } = await keys.create(accountId, null, { name: 'k' });
    const level = async () => (await directory.find(secret)).content?.account;
    expect(await level()).toBe('full');
    await contentLogging.update(accountId, { level: 'off' });
    expect(await level()).toBe('off');
    await contentLogging.update(accountId, { level: null });
    expect(await level()).toBe('full');
  });

  it('marks every key as changed for other processes, which forget sessions as well', async () => {
    const { database, accountId, other, contentLogging, keys } = await setUp('off');
    const { key } = await keys.create(accountId, null, { name: 'k' });
    await database
      .em()
      .execute(
        "insert into api_keys (id, account_id, name, hint, kind) values (gen_random_uuid(), ?, 'dashboard', '', 'dashboard') on conflict do nothing",
        [accountId],
      );
    const session = await other.dashboardKey(accountId);
    await contentLogging.update(accountId, { level: 'full' });
    const changed: { id: string }[] = await database
      .em()
      .execute('select id from api_keys where account_id = ? and changed_at is not null', [accountId]);
    expect(changed.map(({ id }) => id)).toEqual(expect.arrayContaining([key.id, session.id]));
    for (const { id } of changed) other.evict(id);
    expect((await other.dashboardKey(accountId)).content?.account).toBe('full');
  });
});
