import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { AzureOpenAI, toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newAccount, type TestAccount } from '../../../harness/shared-server.ts';
import { mayBeMissing } from '../../../harness/tool-paths.ts';

const run = promisify(execFile);
const python = process.env.SLUICE_TEST_PYTHON;
const model = 'sandbox/chat';
const line = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions' };
const input = `${JSON.stringify({ ...line, body: { model, messages: [{ role: 'user', content: 'Hello' }] } })}\n`;

let account: TestAccount;
let client: AzureOpenAI;

beforeAll(async () => {
  account = await newAccount();
  const { url: endpoint, apiKey } = account;
  client = new AzureOpenAI({ endpoint, apiKey, apiVersion: '2025-04-01-preview', maxRetries: 0 });
});

afterAll(() => account.dispose());

describe('the SDK for Azure', () => {
  it('creates, streams, continues, reads and deletes responses', async () => {
    const first = await client.responses.create({ model, input: 'Hello' });
    expect(first.output_text).not.toBe('');
    let text = '';
    for await (const event of await client.responses.create({ model, input: 'Hello', stream: true }))
      if (event.type === 'response.output_text.delta') text += event.delta;
    expect(text).not.toBe('');
    const next = await client.responses.create({ model, input: 'Again', previous_response_id: first.id });
    expect(next.previous_response_id).toBe(first.id);
    expect((await client.responses.retrieve(first.id)).output_text).toBe(first.output_text);
    expect((await client.responses.inputItems.list(first.id)).data).toHaveLength(1);
    await client.responses.delete(first.id);
    await expect(client.responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 });
  });

  it('creates, continues and deletes a conversation', async () => {
    const { id } = await client.conversations.create({ metadata: { topic: 'tides' } });
    await client.responses.create({ model, input: 'Hello', conversation: id });
    const items: unknown[] = [];
    for await (const item of client.conversations.items.list(id)) items.push(item);
    expect(items).toHaveLength(2);
    expect((await client.conversations.delete(id)).deleted).toBe(true);
  });

  it('uploads a file whole and in parts', async () => {
    const file = await client.files.create({ file: await toFile(Buffer.from(input), 'a.jsonl'), purpose: 'batch' });
    expect(await (await client.files.content(file.id)).text()).toBe(input);
    const bytes = Buffer.byteLength(input);
    const created = await client.uploads.create({
      bytes,
      filename: 'b.jsonl',
      mime_type: 'application/jsonl',
      purpose: 'batch',
    });
    const part = await client.uploads.parts.create(created.id, { data: await toFile(Buffer.from(input), 'part') });
    const { status, file: whole } = await client.uploads.complete(created.id, { part_ids: [part.id] });
    expect(status).toBe('completed');
    expect(whole?.bytes).toBe(bytes);
  });

  it('creates, reads and lists batches', async () => {
    const { id } = await client.files.create({ file: await toFile(Buffer.from(input), 'a.jsonl'), purpose: 'batch' });
    const batch = await client.batches.create({
      input_file_id: id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    expect(batch.object).toBe('batch');
    expect((await client.batches.retrieve(batch.id)).id).toBe(batch.id);
    const listed: string[] = [];
    for await (const each of client.batches.list()) listed.push(each.id);
    expect(listed).toContain(batch.id);
  });
});

/** The same, of the SDK for Python. Each line that it prints is true. */
const program = `
import io, sys
from openai import AzureOpenAI, NotFoundError

client = AzureOpenAI(azure_endpoint=sys.argv[1], api_key=sys.argv[2], api_version="2025-04-01-preview", max_retries=0)
model, data = "${model}", sys.argv[3].encode()

first = client.responses.create(model=model, input="Hello")
print(first.output_text != "")
print("response.completed" in [event.type for event in client.responses.create(model=model, input="Hello", stream=True)])
print(client.responses.create(model=model, input="Again", previous_response_id=first.id).previous_response_id == first.id)
client.responses.delete(first.id)
try:
    client.responses.retrieve(first.id)
except NotFoundError:
    print(True)
conversation = client.conversations.create()
client.responses.create(model=model, input="Hello", conversation=conversation.id)
print(len(client.conversations.items.list(conversation.id).data) == 2)
file = client.files.create(file=("a.jsonl", io.BytesIO(data)), purpose="batch")
print(client.files.content(file.id).read() == data)
upload = client.uploads.create(bytes=len(data), filename="b.jsonl", mime_type="application/jsonl", purpose="batch")
part = client.uploads.parts.create(upload.id, data=io.BytesIO(data))
print(client.uploads.complete(upload.id, part_ids=[part.id]).status == "completed")
batch = client.batches.create(input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h")
print(client.batches.retrieve(batch.id).id == batch.id)
`;

it.skipIf(!python && mayBeMissing)('the SDK for Azure for Python does so, too', async () => {
  const { stdout } = await run(python ?? 'python3', ['-c', program, account.url, account.apiKey, input]);
  expect(stdout.trim().split('\n')).toEqual(Array(8).fill('True'));
});
