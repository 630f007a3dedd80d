import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { keysCommand } from '../../../src/cli/keys.command.ts';
import { openDatabase, type OpenDatabaseOptions } from '../../../src/database/database.ts';
import { Account, AccountRoute, ProviderConnection } from '../../../src/database/entities/index.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { runCommand } from '../../harness/run-command.ts';

describeWithDatabase('sluice keys', (databases) => {
  let place: OpenDatabaseOptions;

  beforeAll(async () => {
    place = await databases.place();
    const database = await openDatabase(place);
    const em = database.em();
    const account = em.create(Account, { id: randomUUID(), name: 'First' });
    const now = new Date();
    const settings = { targets: [{ model: 'sandbox/chat', weight: 1 }] };
    em.persist(account);
    em.persist(em.create(AccountRoute, { account, name: 'ours', settings, createdAt: now, updatedAt: now }));
    em.persist(
      em.create(ProviderConnection, { account, provider: 'mine', name: 'Mine', createdAt: now, updatedAt: now }),
    );
    await em.flush();
    await database.close();
  });

  const keys = (...args: readonly string[]) => runCommand('keys', keysCommand, place, args);

  it('creates, lists, changes, rotates and revokes keys, as text and as JSON', async () => {
    const made = await keys('create', 'ci', '--scope', 'read', '--expires', '90d', '--concurrency', '3', '--json');
    const created = JSON.parse(made.out);
    expect(created).toMatchObject({ name: 'ci', scopes: ['read'], limits: { concurrency: 3, requests_per_day: null } });
    expect(created.secret).toMatch(/^sk-sluice-\w{38}$/);
    const days = (Date.parse(created.expires_at) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(90);
    expect((await keys('create', 'plain')).out).toMatch(/^sk-sluice-\w{38}\n$/);
    const updated = await keys(
      'update',
      created.id,
      '--name',
      'ci two',
      '--model',
      'sandbox/chat',
      '--expires',
      'never',
      '--json',
    );
    expect(JSON.parse(updated.out)).toMatchObject({
      name: 'ci two',
      allowed_models: ['sandbox/chat'],
      expires_at: null,
      limits: { concurrency: 3 },
    });
    expect(JSON.parse((await keys('update', created.id, '--tokens-per-minute', '9', '--json')).out).limits).toEqual({
      requests_per_minute: null,
      tokens_per_minute: 9,
      requests_per_day: null,
      concurrency: null,
      per_model: [],
      per_capability: [],
    });
    const rotated = JSON.parse((await keys('rotate', created.id, '--overlap', '2h', '--json')).out);
    expect(rotated.secret).not.toBe(created.secret);
    expect(Math.round((Date.parse(rotated.previous_secret_expires_at) - Date.now()) / 60_000)).toBe(120);
    const listed = await keys('list');
    expect(listed.out).toContain(`${created.id}  ${rotated.hint}  ci two  [read]  (previous secret valid until `);
    expect(listed.out).not.toContain(rotated.secret);
    expect((await keys('revoke', created.id)).out).toBe('revoked\n');
    const names = (answer: { out: string }): string[] =>
      JSON.parse(answer.out).map(({ name }: { name: string }) => name);
    expect(names(await keys('list', '--json'))).toEqual(['plain']);
    expect(names(await keys('list', '--all', '--json')).toSorted()).toEqual(['ci two', 'plain']);
  });

  it('sets limits per model and per capability, and keeps those of groups that are not given', async () => {
    const limits = async (...args: readonly string[]) => {
      const { out, err } = await keys(...args, '--json');
      expect(err).toBe('');
      return JSON.parse(out);
    };
    const none = { requests_per_minute: null, tokens_per_minute: null, requests_per_day: null, concurrency: null };
    const own = 'vllm/b,c:8b,requests-per-minute=10,tokens-per-minute=1000';
    const models = ['--model-limit', 'sandbox/chat,concurrency=2', '--model-limit', own];
    const capabilities = ['--capability-limit', 'images,requests-per-day=50'];
    const made = await limits(
      'create',
      'bounded',
      '--save-anyway',
      '--requests-per-day',
      '90',
      ...models,
      ...capabilities,
    );
    expect(made.limits).toEqual({
      ...none,
      requests_per_day: 90,
      per_model: [
        { ...none, model: 'sandbox/chat', concurrency: 2 },
        { ...none, model: 'vllm/b,c:8b', requests_per_minute: 10, tokens_per_minute: 1_000 },
      ],
      per_capability: [{ ...none, capability: 'images', requests_per_day: 50 }],
    });
    const changed = await limits('update', made.id, '--model-limit', 'sandbox/image,requests-per-day=5');
    expect(changed.limits).toEqual({
      ...made.limits,
      per_model: [{ ...none, model: 'sandbox/image', requests_per_day: 5 }],
    });
    const less = await limits('update', made.id, '--requests-per-day', 'none', '--capability-limit', 'none');
    expect(less.limits).toEqual({ ...none, per_model: changed.limits.per_model, per_capability: [] });
    const named = await keys('update', made.id, '--capability-limit', 'drawing,concurrency=1');
    expect(named).toMatchObject({ code: 2, out: '', err: expect.stringContaining('must be one of chat, ') });
  });

  it('refuses unknown model names, and requires --save-anyway for unlisted ones', async () => {
    const misspelled = await keys('create', 'k', '--model', 'opnai/gpt-4o');
    expect(misspelled).toMatchObject({ code: 2, out: '' });
    expect(misspelled.err).toMatch(
      /^`allowedModels\.0`: no model, route or alias is named `opnai\/gpt-4o`\. Did you mean `openai\/gpt-4o`\?.*\n$/,
    );
    for (const own of ['openai/gpt-4oo', 'mine/any']) {
      const unlisted = await keys('create', 'k', '--model', own);
      expect(unlisted).toMatchObject({ code: 2, out: '', err: expect.stringContaining('`--save-anyway`') });
    }
    const made = JSON.parse((await keys('create', 'k', '--model', 'openai/gpt-4oo', '--save-anyway', '--json')).out);
    expect(made.allowed_models).toEqual(['openai/gpt-4oo']);
    const limited = await keys('update', made.id, '--model-limit', 'gtp-4o,concurrency=1', '--save-anyway');
    expect(limited).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean `gpt-4o`?') });
    const changed = await keys('update', made.id, '--model', 'openai/gpt-4oo', '--model', 'ours', '--json');
    expect(JSON.parse(changed.out).allowed_models).toEqual(['openai/gpt-4oo', 'ours']);
    expect(await keys('update', made.id, '--save-anyway')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^Specify at least one setting/),
    });
  });

  it('explains an invalid change and an unknown key', async () => {
    for (const [args, message] of [
      [['update', randomUUID()], /^Specify at least one setting/],
      [['update', randomUUID(), '--scope', 'read'], /cannot be changed/],
    ] as const)
      expect(await keys(...args)).toEqual({ code: 2, out: '', err: expect.stringMatching(message) });
    const missing = await keys('rotate', randomUUID());
    expect(missing.code).toBe(1);
    expect(missing.err).toContain('There is no API key with this id');
  });
});
