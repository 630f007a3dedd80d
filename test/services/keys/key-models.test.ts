import { beforeEach, expect, it } from 'vitest';
import { ApiKey } from '../../../src/database/entities/index.ts';
import type { Database } from '../../../src/database/database.ts';
import { readPlans } from '../../../src/composition/gateway/read-plans.ts';
import { buildUser } from '../../../src/services/accounts/build-account.ts';
import { MemoryKeyDirectory } from '../../../src/services/keys/key-directory.ts';
import { KeysService } from '../../../src/services/keys/keys.service.ts';
import { KeyPepper } from '../../../src/services/keys/secrets/pepper.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { modelNames } from '../../harness/model-names.ts';

const limits = { requestsPerMinute: 1, tokensPerMinute: 1, requestsPerDay: 1, concurrency: 1 };
const plans = readPlans({ plans: {}, default_plan: 'free' });
const pepper = new KeyPepper([{ version: 1, masterKey: 'a master key for tests, long enough' }]);

describeWithDatabase('model names of a key', (databases) => {
  let database: Database;
  let keys: KeysService;
  let accountId: string;
  let people = 0;

  beforeEach(async () => {
    database = await databases.open();
    const directory = new MemoryKeyDirectory({ database, pepper, defaults: () => limits, plans: () => plans });
    keys = new KeysService({ database, pepper, directory, models: modelNames(['fast']) });
    const em = database.em();
    const person = { email: `names${++people}@example.com`, name: 'P', passwordHash: null, plan: 'free' };
    accountId = buildUser(em, person).account.id;
    await em.flush();
  });

  it('are stored by the names that requests are compared with', async () => {
    const { key } = await keys.create(accountId, null, {
      name: 'k',
      allowedModels: ['google/Gemini-2.5-pro ', 'gemini/gemini-2.5-pro', 'gpt-4o', 'fast'],
      limits: { perModel: [{ model: 'openai/GPT-4o', concurrency: 1 }] },
    });
    expect(key.allowedModels).toEqual(['gemini/gemini-2.5-pro', 'gpt-4o', 'fast']);
    expect(key.limits?.perModel).toEqual([{ model: 'openai/gpt-4o', concurrency: 1 }]);
  });

  it.each([
    [{ allowedModels: ['openai/gpt-4o', 'opnai/gpt-4o'] }, 'allowedModels.1', 'Did you mean `openai/gpt-4o`?'],
    [{ allowedModels: ['fats'] }, 'allowedModels.0', 'Did you mean `fast`?'],
    [{ limits: { perModel: [{ model: 'gtp-4o', concurrency: 1 }] } }, 'limits.perModel.0.model', '`gpt-4o`?'],
    [
      { moderation: { model: 'sandbox/moderate', action: 'block' as const } },
      'moderation.model',
      'Did you mean `sandbox/moderation`?',
    ],
  ])('are rejected if unknown: %j', async (given, param, told) => {
    const refusal = { code: 'unknown_model_name', param, message: expect.stringContaining(told) };
    await expect(keys.create(accountId, null, { name: 'k', ...given })).rejects.toMatchObject(refusal);
    await expect(keys.create(accountId, null, { name: 'k', ...given, saveAnyway: true })).rejects.toMatchObject(
      refusal,
    );
    const { key } = await keys.create(accountId, null, { name: 'k' });
    await expect(keys.update(accountId, key.id, given)).rejects.toMatchObject(refusal);
  });

  it('are confirmed if their provider may have them', async () => {
    const given = { name: 'k', allowedModels: ['openai/gpt-4oo'] };
    await expect(keys.create(accountId, null, given)).rejects.toMatchObject({
      code: 'unlisted_model_name',
      param: 'allowedModels.0',
      message: expect.stringMatching(
        /openai does not list the model `openai\/gpt-4oo`\. Did you mean `openai\/gpt-4o`\? .*`saveAnyway`/,
      ),
    });
    const { key } = await keys.create(accountId, null, { ...given, saveAnyway: true });
    expect(key.allowedModels).toEqual(['openai/gpt-4oo']);
  });

  it('are not checked again if the key already contains them', async () => {
    const { key } = await keys.create(accountId, null, { name: 'k' });
    const em = database.em();
    const held = ['long-gone', 'openai/GPT-4o'];
    Object.assign(await em.findOneOrFail(ApiKey, { id: key.id }), { allowedModels: held });
    await em.flush();
    const changed = await keys.update(accountId, key.id, { name: 'renamed', allowedModels: [...held, 'gpt-4o'] });
    expect(changed).toMatchObject({ name: 'renamed', allowedModels: [...held, 'gpt-4o'] });
    await expect(keys.update(accountId, key.id, { allowedModels: ['long-gone', 'long-gne'] })).rejects.toMatchObject({
      code: 'unknown_model_name',
      param: 'allowedModels.1',
    });
  });

  it('are not limited twice by two spellings', async () => {
    const perModel = ['openai/gpt-4o', 'openai/GPT-4O'].map((model) => ({ model, concurrency: 1 }));
    await expect(keys.create(accountId, null, { name: 'k', limits: { perModel } })).rejects.toMatchObject({
      code: 'bad_user_input',
      message: expect.stringContaining('limits.perModel.1: must not be listed twice'),
    });
  });
});
