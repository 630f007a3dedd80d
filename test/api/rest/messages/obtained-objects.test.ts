import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startConfigured } from '../../../harness/configured-server.ts';
import { json, pieces, startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';
import { post } from '../../../harness/graphql-client.ts';
import type { ServerProcess } from '../../../harness/server-process.ts';

const document = recorded('anthropic-code-execution-20250825.2.json');
const inDocument = {
  container: 'container_011CUJar2mdkMcv7daEVAQw2',
  files: ['file_011CUJascj5v5AsQ2KybX48e', 'file_011CUJat24HHw4F65QJuLjhv'],
};
const inStream = 'container_011CU6pTr2hLT47seQ5Xs4yj';

let provider: FakeProvider;
let server: ServerProcess;
/** Of the same account, without the scope `read`. */
let other: string;

beforeAll(async () => {
  provider = await startFakeProvider();
  const provided = `{ api_key: "sk-of-the-operator", base_url: "${provider.url}" }`;
  server = await startConfigured(`providers: { anthropic: ${provided} }\n`);
  const query = 'mutation { createApiKey(input: { name: "other", scopes: [INFERENCE] }) { secret } }';
  const { data } = await post(server.url, { query }, { authorization: `Bearer ${server.apiKey}` });
  other = z.object({ createApiKey: z.object({ secret: z.string() }) }).parse(data).createApiKey.secret;
});

afterAll(async () => {
  await server.dispose();
  await provider.close();
});

function recorded(name: string): string {
  return readFileSync(new URL(`../../../fixtures/providers/anthropic/${name}`, import.meta.url), 'utf8');
}

/** With a file, which the recording has none of. */
function streamed(file: string): Buffer {
  const lines = recorded('anthropic-code-execution-20250825.1.chunks.txt').split('\n');
  const content = {
    type: 'bash_code_execution_result',
    content: [{ type: 'bash_code_execution_output', file_id: file }],
  };
  const block = { type: 'bash_code_execution_tool_result', tool_use_id: 'srvtoolu_1', content };
  const events = lines.filter((line) => line.trim() !== '');
  events.splice(-2, 0, JSON.stringify({ type: 'content_block_start', index: 99, content_block: block }));
  return Buffer.from(events.map((data) => `event: ${String(JSON.parse(data).type)}\ndata: ${data}\n\n`).join(''));
}

function create(members: object, apiKey = server.apiKey, suffix = ''): Promise<Response> {
  const messages = [{ role: 'user', content: 'Go on.' }];
  return fetch(`${server.url}/v1/messages${suffix}`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'anthropic/claude-sonnet-4-5', max_tokens: 99, messages, ...members }),
  });
}

function withFile(file: string): object {
  return { messages: [{ role: 'user', content: [{ type: 'container_upload', file_id: file }] }] };
}

/** What may be named, and by whom. */
async function expectObtained(members: object): Promise<void> {
  provider.answerWith(json(200, document));
  const before = provider.requests.length;
  const foreign = await create(members, other);
  expect(foreign.status).toBe(404);
  expect(await foreign.json()).toMatchObject({ type: 'error', error: { type: 'not_found_error' } });
  expect(provider.requests.length).toBe(before);
  const own = await create(members);
  expect(own.status).toBe(200);
  expect(await own.text()).toBe(document);
  expect(provider.requests.at(-1)?.json).toMatchObject(members);
}

describe('on a connection that accounts share, a message can name', () => {
  it('the container and the files of an earlier message, if its key obtained them', async () => {
    expect((await create({ container: inDocument.container })).status).toBe(404);
    provider.answerWith(json(200, document));
    expect(await (await create({})).text()).toBe(document);
    await expectObtained({ container: inDocument.container });
    await expectObtained({ container: { id: inDocument.container, skills: [] } });
    for (const file of inDocument.files) await expectObtained(withFile(file));
  });

  it('those of a stream', async () => {
    const file = 'file_011CUJfromAStream';
    const bytes = streamed(file);
    provider.answerWith(pieces([bytes], 'end', 'text/event-stream; charset=utf-8'));
    const response = await create({ stream: true });
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    await expectObtained({ container: inStream });
    await expectObtained(withFile(file));
  });

  it('those also where its tokens are counted', async () => {
    provider.answerWith(json(200, document));
    expect((await create({})).status).toBe(200);
    provider.answerWith(json(200, { input_tokens: 7 }));
    const before = provider.requests.length;
    for (const named of [{ container: inDocument.container }, withFile(inDocument.files[0] ?? '')]) {
      expect((await create(named, other, '/count_tokens')).status).toBe(404);
      const counted = await create(named, server.apiKey, '/count_tokens');
      expect(await counted.json()).toEqual({ input_tokens: 7 });
      expect(provider.requests.at(-1)?.json).toMatchObject(named);
    }
    expect((await create(withFile('file_011CUJofSomebodyElse'), server.apiKey, '/count_tokens')).status).toBe(404);
    expect(provider.requests.length).toBe(before + 2);
  });

  it('no other beside them', async () => {
    const before = provider.requests.length;
    const response = await create({ container: inDocument.container, ...withFile('file_011CUJofSomebodyElse') });
    expect(response.status).toBe(404);
    expect(provider.requests.length).toBe(before);
  });
});
