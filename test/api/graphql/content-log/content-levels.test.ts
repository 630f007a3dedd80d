import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventIdOf } from '../../../../src/gateway/event-id.ts';
import { toGlobalId } from '../../../../src/graphql/relay/global-id.ts';
import { newAccount, type TestAccount } from '../../../harness/shared-server.ts';

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ message: z.string() })).optional(),
});

describe('what is logged of a request', () => {
  let account: TestAccount;

  beforeAll(async () => {
    account = await newAccount();
  });

  afterAll(() => account.dispose());

  async function ask(query: string, variables: object = {}) {
    const response = await fetch(`${account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${account.apiKey}` },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = answerSchema.parse(await response.json());
    expect(errors).toBeUndefined();
    return data ?? {};
  }

  const setAccount = (input: object) =>
    ask('mutation ($input: UpdateContentLoggingInput!) { updateContentLogging(input: $input) { id } }', { input });

  async function newKey(input: object = {}): Promise<string> {
    const create = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }';
    return String((await ask(create, { input: { name: 'Key', ...input } })).createApiKey.secret);
  }

  /** Sends a prompt with a secret in it. @returns what is logged */
  async function logged(secret: string, header?: string) {
    const response = await fetch(`${account.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        ...(header !== undefined && { 'x-sluice-log': header }),
      },
      body: JSON.stringify({
        model: 'sandbox/chat',
        messages: [{ role: 'user', content: 'I am jane@example.com, about TICKET-17' }],
      }),
    });
    await response.text();
    const id = toGlobalId('UsageLog', eventIdOf(response.headers.get('x-request-id') ?? '') ?? '');
    const query = 'query ($id: ID!) { usageLog(id: $id) { content { state level request } } }';
    await expect.poll(async () => (await ask(query, { id })).usageLog).not.toBeNull();
    return (await ask(query, { id })).usageLog.content;
  }

  it('follows the account, its keys and the header, each of which lowers it', async () => {
    const [plain, lowered, raised] = await Promise.all([
      newKey(),
      newKey({ contentLevel: 'METADATA' }),
      newKey({ contentLevel: 'FULL', contentMayRaise: true }),
    ]);
    expect(await logged(plain)).toMatchObject({ state: 'NOT_LOGGED' });
    expect(await logged(plain, 'full')).toMatchObject({ state: 'NOT_LOGGED' });
    expect(await logged(raised)).toMatchObject({ state: 'STORED', level: 'FULL' });
    expect(await logged(raised, 'off')).toMatchObject({ state: 'NOT_LOGGED' });
    await setAccount({ level: 'FULL' });
    expect(await logged(plain)).toMatchObject({ state: 'STORED', level: 'FULL' });
    expect(await logged(lowered, 'full')).toMatchObject({ state: 'STORED', level: 'METADATA' });
    const metadata = await logged(plain, 'metadata');
    expect(metadata).toMatchObject({ state: 'STORED', level: 'METADATA' });
    expect(JSON.stringify(metadata)).not.toMatch(/jane|redacted/);
  });

  it('is redacted by the rules of the account', async () => {
    const secret = await newKey();
    const customPatterns = [{ name: 'ticket', pattern: 'TICKET-[0-9]+' }];
    await setAccount({ level: 'FULL', redaction: { detectors: ['EMAIL'], customPatterns } });
    const { request } = await logged(secret);
    expect(request.messages[0].content).toBe('I am [redacted:email], about [redacted:ticket]');
    await setAccount({ redaction: { detectors: [], customPatterns } });
    expect((await logged(secret)).request.messages[0].content).toBe('I am jane@example.com, about [redacted:ticket]');
  });

  it('is nothing with zero retention', async () => {
    const secret = await newKey({ contentLevel: 'FULL', contentMayRaise: true });
    await ask('mutation { updateAccount(input: { zeroRetention: true }) { id } }');
    expect(await logged(secret)).toMatchObject({ state: 'NOT_LOGGED' });
  });
});
