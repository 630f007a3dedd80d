import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z
    .array(z.object({ message: z.string(), extensions: z.object({ code: z.string(), param: z.string().optional() }) }))
    .optional(),
});

const fields =
  'contentLogging { level isDefault retentionDays redaction { detectors customPatterns { name pattern } } }';
const update = `mutation ($input: UpdateContentLoggingInput!) { updateContentLogging(input: $input) { ${fields} } }`;

describe('content logging', () => {
  let account: TestAccount;

  async function ask(query: string, variables: object = {}, secret = account.apiKey) {
    const response = await fetch(`${account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = answerSchema.parse(await response.json());
    const [error] = errors ?? [];
    return { data: data ?? {}, code: error?.extensions.code ?? null, message: error?.message ?? null };
  }

  async function keyWithRole(role: string) {
    const create = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }';
    const { data } = await ask(create, { input: { name: role, scopes: ['READ', 'MANAGE'], role } });
    return String(data.createApiKey.secret);
  }

  beforeAll(async () => {
    account = await newAccount();
  });

  afterAll(() => account.dispose());

  it('is off at first, with every detector', async () => {
    const { data } = await ask(`{ account { ${fields} } }`);
    expect(data.account.contentLogging).toEqual({
      level: 'OFF',
      isDefault: true,
      retentionDays: 30,
      redaction: { detectors: ['EMAIL', 'PHONE', 'CARD', 'IBAN', 'IP', 'SECRET'], customPatterns: [] },
    });
  });

  it('changes what is given only, and is audited', async () => {
    const customPatterns = [{ name: 'ticket', pattern: 'TICKET-[0-9]+' }];
    await ask(update, {
      input: { level: 'FULL', redaction: { detectors: ['CARD', 'EMAIL', 'CARD'], customPatterns } },
    });
    const { data } = await ask(update, { input: { retentionDays: 7 } });
    expect(data.updateContentLogging.contentLogging).toEqual({
      level: 'FULL',
      isDefault: false,
      retentionDays: 7,
      redaction: { detectors: ['EMAIL', 'CARD'], customPatterns },
    });
    const entries = await ask('{ auditLog(first: 5) { nodes { action changes { field after } } } }');
    const changes = entries.data.auditLog.nodes.filter(
      ({ action }: { action: string }) => action === 'account.updated',
    );
    expect(
      changes.flatMap((entry: { changes: { field: string }[] }) => entry.changes.map(({ field }) => field)),
    ).toEqual(expect.arrayContaining(['contentLevel', 'contentRedaction', 'contentRetentionDays']));
    const reset = await ask(update, { input: { level: null } });
    expect(reset.data.updateContentLogging.contentLogging).toMatchObject({ level: 'OFF', isDefault: true });
  });

  it('refuses expressions and values that cannot be used, and says why', async () => {
    const withPattern = (pattern: string, name = 'mine') => ({
      input: { redaction: { detectors: [], customPatterns: [{ name, pattern }] } },
    });
    for (const [variables, message] of [
      [withPattern('(a'), 'missing closing )'],
      [withPattern('a*'), 'must not match empty text'],
      [withPattern('a', 'email'), 'must differ from those of detectors'],
      [{ input: { retentionDays: 0 } }, 'retentionDays'],
      [{ input: { retentionDays: 3_651 } }, 'retentionDays'],
    ] as const) {
      const refused = await ask(update, variables);
      expect(refused.code).toBe('bad_user_input');
      expect(refused.message).toContain(message);
    }
  });

  it('shows what would be stored of a text', async () => {
    const preview =
      'query ($redaction: RedactionInput!, $text: String!) { redactionPreview(redaction: $redaction, text: $text) { text counts { name count } } }';
    const redaction = { detectors: ['EMAIL'], customPatterns: [{ name: 'ticket', pattern: 'TICKET-[0-9]+' }] };
    const { data } = await ask(preview, { redaction, text: 'jane@example.com about TICKET-17 from 10.1.2.3' });
    expect(data.redactionPreview).toEqual({
      text: '[redacted:email] about [redacted:ticket] from 10.1.2.3',
      counts: [
        { name: 'email', count: 1 },
        { name: 'ticket', count: 1 },
      ],
    });
    expect(await ask(preview, { redaction, text: 'x'.repeat(10_001) })).toMatchObject({ code: 'bad_user_input' });
  });

  it('is changed by owners and administrators, and read by all', async () => {
    const [admin, developer] = [await keyWithRole('ADMIN'), await keyWithRole('DEVELOPER')];
    expect(await ask(update, { input: { retentionDays: 8 } }, admin)).toMatchObject({ code: null });
    expect(await ask(update, { input: { retentionDays: 9 } }, developer)).toMatchObject({ code: 'forbidden' });
    const { data } = await ask(`{ account { ${fields} } }`, {}, developer);
    expect(data.account.contentLogging.retentionDays).toBe(8);
  });

  it('has a level for each key, which only owners let exceed the account’s', async () => {
    const developer = await keyWithRole('DEVELOPER');
    const create =
      'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id contentLevel contentMayRaise } } }';
    const change =
      'mutation ($input: UpdateApiKeyInput!) { updateApiKey(input: $input) { id contentLevel contentMayRaise } }';
    const { data } = await ask(create, { input: { name: 'Plain' } });
    const { id, ...initial } = data.createApiKey.apiKey;
    expect(initial).toEqual({ contentLevel: null, contentMayRaise: false });

    const lowered = await ask(change, { input: { id, contentLevel: 'METADATA' } }, developer);
    expect(lowered.data.updateApiKey).toEqual({ id, contentLevel: 'METADATA', contentMayRaise: false });
    const raise = { input: { id, contentMayRaise: true } };
    expect(await ask(change, raise, developer)).toMatchObject({ code: 'forbidden' });
    expect(await ask(create, { input: { name: 'Raising', contentMayRaise: true } }, developer)).toMatchObject({
      code: 'forbidden',
    });
    const raised = await ask(change, raise);
    expect(raised.data.updateApiKey).toEqual({ id, contentLevel: 'METADATA', contentMayRaise: true });
    const cleared = await ask(change, { input: { id, contentLevel: null, contentMayRaise: false } }, developer);
    expect(cleared.data.updateApiKey).toEqual({ id, contentLevel: null, contentMayRaise: false });
  });
});
