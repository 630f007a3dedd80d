import { beforeEach, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { AccountRoute } from '../../../src/database/entities/index.ts';
import { buildUser } from '../../../src/services/accounts/build-account.ts';
import { RoutesService } from '../../../src/services/routes/routes.service.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { modelNames } from '../../harness/model-names.ts';

describeWithDatabase('model names of a route', (databases) => {
  let database: Database;
  let routes: RoutesService;
  let accountId: string;
  let people = 0;

  beforeEach(async () => {
    database = await databases.open();
    routes = new RoutesService(
      { database, connectionCache: { changed: () => Promise.resolve() } },
      modelNames(['judge']),
    );
    const em = database.em();
    const person = { email: `routes${++people}@example.com`, name: 'P', passwordHash: null, plan: 'free' };
    accountId = buildUser(em, person).account.id;
    await em.flush();
  });

  const route = { name: 'fast', targets: [{ model: 'sandbox/chat' }] };

  it('are stored as spelled, including an alias of a moderation model', async () => {
    const { settings } = await routes.save(accountId, {
      ...route,
      targets: [{ model: 'openai/GPT-4o' }, { model: 'gpt-4o-mini' }],
      larger: 'google/gemini-2.5-pro',
      moderation: { model: 'judge', action: 'block' },
    });
    expect(settings).toMatchObject({
      targets: [{ model: 'openai/GPT-4o' }, { model: 'gpt-4o-mini' }],
      larger: 'google/gemini-2.5-pro',
      moderation: { model: 'judge' },
    });
  });

  it.each([
    [{ targets: [{ model: 'sandbox/chat' }, { model: 'opnai/gpt-4o' }] }, 'targets.1.model', '`openai/gpt-4o`?'],
    [{ larger: 'gtp-4o' }, 'larger', '`gpt-4o`?'],
    [{ moderation: { model: 'jugde', action: 'block' as const } }, 'moderation.model', '`judge`?'],
  ])('are rejected if unknown: %j', async (given, param, told) => {
    await expect(routes.save(accountId, { ...route, ...given, saveAnyway: true })).rejects.toMatchObject({
      code: 'unknown_model_name',
      param,
      message: expect.stringContaining(told),
    });
    expect(await routes.list(accountId)).toEqual([]);
  });

  it('are confirmed if their provider may have them, and not checked again', async () => {
    const given = { ...route, targets: [{ model: 'openai/ft:of-tomorrow:org::1' }] };
    await expect(routes.save(accountId, given)).rejects.toMatchObject({
      code: 'unlisted_model_name',
      param: 'targets.0.model',
    });
    await routes.save(accountId, { ...given, saveAnyway: true });
    expect((await routes.save(accountId, { ...given, retries: 1 })).settings.retries).toBe(1);
  });

  it('may be names that the route already contained, but no routes', async () => {
    const refusal = { code: 'bad_user_input', param: 'targets.0.model' };
    const given = { ...route, targets: [{ model: 'judge' }] };
    await expect(routes.save(accountId, given)).rejects.toMatchObject(refusal);
    await routes.save(accountId, route);
    const em = database.em();
    const stored = await em.findOneOrFail(AccountRoute, { account: accountId, name: 'fast' });
    stored.settings = { ...stored.settings, targets: [{ model: 'judge', weight: 1 }] };
    await em.flush();
    expect((await routes.save(accountId, { ...given, retries: 1 })).settings.retries).toBe(1);
  });
});
