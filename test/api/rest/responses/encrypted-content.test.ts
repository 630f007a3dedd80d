import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isObject, listOf } from '../../../../src/protocols/canonical/json-members.ts';
import { startConfigured } from '../../../harness/configured-server.ts';
import { json, startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';
import type { ServerProcess } from '../../../harness/server-process.ts';
import { newAccount, type TestAccount } from '../../../harness/shared-server.ts';

const recordings = new URL('../../../fixtures/providers/', import.meta.url);
const thought = recorded('anthropic/anthropic-claude-opus-5-reasoning-high.1.json');
const { content: blocks } = z
  .object({ content: z.array(z.looseObject({ type: z.string() })) })
  .parse(JSON.parse(thought));
const thinking = blocks.filter(({ type }) => type === 'thinking');

let provider: FakeProvider;
let server: ServerProcess;
let mine: TestAccount;
let others: TestAccount;

beforeAll(async () => {
  provider = await startFakeProvider();
  server = await startConfigured(`
providers:
  anthropic: { base_url: "${provider.url}", api_key: "sk-1" }
  relaying: { base_url: "${provider.url}", api_key: "sk-2", options: { api: responses } }
`);
  [mine, others] = await Promise.all([newAccount(), newAccount()]);
});

afterAll(async () => {
  await Promise.all([server.dispose(), provider.close(), mine.dispose(), others.dispose()]);
});

function recorded(name: string): string {
  return readFileSync(new URL(name, recordings), 'utf8');
}

type Item = { readonly type: string; readonly encrypted_content?: string };

async function respond(
  { url, apiKey }: { readonly url: string; readonly apiKey: string },
  body: object,
  path = '',
): Promise<{ status: number; output: Item[]; error: unknown }> {
  const response = await fetch(`${url}/v1/responses${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { output = [], error } = z
    .looseObject({ output: z.array(z.looseObject({ type: z.string() })).optional(), error: z.unknown().optional() })
    .parse(await response.json());
  return { status: response.status, output, error };
}

/** The output of a model that thinks, without ids, as clients with `store: false` send it back. */
async function thoughtful(): Promise<Item[]> {
  provider.answerWith(json(200, thought));
  const { output } = await respond(server, { model: 'anthropic/claude-opus-4-5', input: 'Think.', store: false });
  return output.map(({ ...item }) => {
    if ('id' in item) delete item.id;
    return item;
  });
}

const next = { type: 'message', role: 'user', content: 'And now?' };

describe('the encrypted content of reasoning', () => {
  it('shows nothing of the reasoning, and returns it to its provider', async () => {
    const items = await thoughtful();
    const sealed = items.find(({ type }) => type === 'reasoning')?.encrypted_content ?? '';
    expect(sealed).toMatch(/^sluice-reasoning-2\.[\w-]+$/);
    const bytes = Buffer.from(sealed.slice(sealed.indexOf('.') + 1), 'base64url');
    const signature = String(thinking[0]?.signature);
    expect(bytes.includes(signature.slice(0, 20))).toBe(false);
    provider.answerWith(json(200, thought));
    const continued = await respond(server, {
      model: 'anthropic/claude-opus-4-5',
      input: [...items, next],
      store: false,
    });
    expect(continued.status).toBe(200);
    const messages = listOf(provider.requests.at(-1)?.json.messages);
    const sent = messages.flatMap((message) => (isObject(message) ? listOf(message.content) : []));
    expect(sent).toEqual(expect.arrayContaining(thinking));
  });

  it('is refused where it was changed, by its path', async () => {
    const items = await thoughtful();
    const changed = items.map((item) =>
      item.encrypted_content === undefined ? item : { ...item, encrypted_content: `${item.encrypted_content}AA` },
    );
    const { status, error } = await respond(server, { model: 'anthropic/claude-opus-4-5', input: [...changed, next] });
    expect(status).toBe(400);
    const at = items.findIndex(({ type }) => type === 'reasoning');
    expect(error).toMatchObject({
      type: 'invalid_request_error',
      code: 'invalid_encrypted_content',
      param: `input[${at}].encrypted_content`,
    });
  });

  it('is left out where a provider of the protocol serves the next turn: it could not read it', async () => {
    const items = await thoughtful();
    provider.answerWith(json(200, recorded('openai-responses/openai-phase.1.json')));
    const { status } = await respond(server, { model: 'relaying/m', input: [...items, next], store: false });
    expect(status).toBe(200);
    const sent = JSON.stringify(provider.requests.at(-1)?.json);
    expect(sent).toContain('And now?');
    expect(sent).not.toContain('sluice-');
  });
});

describe('the encrypted content of a compaction', () => {
  it('is decrypted for its own account only', async () => {
    const model = 'sandbox/chat';
    const { output } = await respond(mine, { model, input: 'Hello' }, '/compact');
    expect(output[0]?.encrypted_content).toMatch(/^sluice-compaction-2\./);
    expect(await respond(mine, { model, input: [...output, next] })).toMatchObject({ status: 200 });
    expect(await respond(others, { model, input: [...output, next] })).toMatchObject({
      status: 400,
      error: { code: 'invalid_encrypted_content', param: 'input[0].encrypted_content' },
    });
  });
});
