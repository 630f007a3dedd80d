import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';
import { mayBeMissing } from '../../harness/tool-paths.ts';

const run = promisify(execFile);
const { SLUICE_TEST_PYTHON: python } = process.env;

const head = `
import io, json, sys, time
from openai import OpenAI

client = OpenAI(base_url=sys.argv[1] + "/v1", api_key=sys.argv[2], max_retries=0)
model = "sandbox/chat"
`;

let account: TestAccount;
beforeAll(async () => {
  account = await newAccount();
});
afterAll(() => account.dispose());

/** The lines that a program prints. */
async function linesOf(program: string): Promise<string[]> {
  const { stdout } = await run(python ?? 'python3', ['-c', head + program, account.url, account.apiKey]);
  return stdout.trim().split('\n');
}

describe.skipIf(!python && mayBeMissing)('OpenAI’s SDK for Python', () => {
  it('creates, streams and parses responses', async () => {
    const program = `
from pydantic import BaseModel

class City(BaseModel):
    name: str

response = client.responses.create(model=model, input="Hello there")
print("Hello there" in response.output_text)
with client.responses.stream(model=model, input="Tell me all") as stream:
    kinds = [event.type for event in stream]
    print(kinds[0], kinds[-1], "response.output_text.delta" in kinds)
    print(stream.get_final_response().status)
print(type(client.responses.parse(model=model, input="A city", text_format=City).output_parsed).__name__)
again = client.responses.create(model=model, input="And then?", previous_response_id=response.id)
print(again.previous_response_id == response.id, client.responses.retrieve(again.id).id == again.id)
print([item.type for item in client.responses.input_items.list(again.id)])
client.responses.delete(again.id)
print(client.responses.input_tokens.count(model=model, input="Hello").input_tokens > 0)
`;
    expect(await linesOf(program)).toEqual([
      'True',
      'response.created response.completed True',
      'completed',
      'City',
      'True True',
      "['message']",
      'True',
    ]);
  });

  it('stores chat completions', async () => {
    const program = `
messages = [{"role": "user", "content": "Hello"}]
made = client.chat.completions.create(model=model, messages=messages, store=True, metadata={"topic": "demo"})
print([one.id == made.id for one in client.chat.completions.list(metadata={"topic": "demo"})])
read = client.chat.completions.retrieve(made.id)
print(read.choices[0].message.content == made.choices[0].message.content, read.metadata)
print(client.chat.completions.update(made.id, metadata={"topic": "other"}).metadata)
print([(one.role, one.content) for one in client.chat.completions.messages.list(made.id)])
print(client.chat.completions.delete(made.id).deleted, len(client.chat.completions.list().data))
`;
    expect(await linesOf(program)).toEqual([
      '[True]',
      "True {'topic': 'demo'}",
      "{'topic': 'other'}",
      "[('user', 'Hello')]",
      'True 0',
    ]);
  });

  it('keeps conversations', async () => {
    const program = `
conversation = client.conversations.create(metadata={"topic": "demo"})
client.responses.create(model=model, input="Hello", conversation=conversation.id)
items = []
while len(items) < 2:
    time.sleep(0.05)
    items = client.conversations.items.list(conversation.id, order="asc").data
print([item.role for item in items])
print(client.conversations.retrieve(conversation.id).metadata)
print(client.conversations.delete(conversation.id).deleted)
`;
    expect(await linesOf(program)).toEqual(["['user', 'assistant']", "{'topic': 'demo'}", 'True']);
  });

  it('uploads files, whole and in parts', async () => {
    const program = `
file = client.files.create(file=("notes.txt", b"Hello"), purpose="user_data")
print(file.filename, file.bytes, client.files.content(file.id).text)
print(file.id in [each.id for each in client.files.list(purpose="user_data")])
print(client.files.delete(file.id).deleted)
upload = client.uploads.create(filename="long.txt", bytes=6, mime_type="text/plain", purpose="user_data")
parts = [client.uploads.parts.create(upload.id, data=data).id for data in (b"abc", b"def")]
done = client.uploads.complete(upload.id, part_ids=parts)
print(done.status, client.files.content(done.file.id).text)
`;
    expect(await linesOf(program)).toEqual(['notes.txt 5 Hello', 'True', 'True', 'completed abcdef']);
  });

  it('runs batches', async () => {
    const program = `
lines = [json.dumps({"custom_id": name, "method": "POST", "url": "/v1/responses",
    "body": {"model": model, "input": "Hello " + name}}) for name in ("a", "b")]
file = client.files.create(file=("in.jsonl", "\\n".join(lines).encode()), purpose="batch")
batch = client.batches.create(input_file_id=file.id, endpoint="/v1/responses", completion_window="24h")
while batch.status in ("validating", "in_progress", "finalizing"):
    time.sleep(0.05)
    batch = client.batches.retrieve(batch.id)
print(batch.status, batch.request_counts.completed, batch.request_counts.failed)
results = [json.loads(line) for line in client.files.content(batch.output_file_id).text.splitlines()]
print(sorted((each["custom_id"], each["response"]["status_code"]) for each in results))
print(batch.id in [each.id for each in client.batches.list()])
`;
    expect(await linesOf(program)).toEqual(['completed 2 0', "[('a', 200), ('b', 200)]", 'True']);
  });
});
