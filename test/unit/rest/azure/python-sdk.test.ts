import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { secret, startGateway } from '../../../harness/gateway.ts';
import { mayBeMissing } from '../../../harness/tool-paths.ts';

const run = promisify(execFile);
const { SLUICE_TEST_PYTHON: python } = process.env;

const program = `
import sys
from openai import AzureOpenAI

def client(**options):
    return AzureOpenAI(azure_endpoint=sys.argv[1], api_key=sys.argv[2], api_version="2024-10-21", max_retries=0, **options)

messages = [{"role": "user", "content": "Hello"}]
chat = client(azure_deployment="sandbox/chat").chat.completions
print(chat.create(model="ignored", messages=messages).object)
print({part.object for part in chat.create(model="ignored", messages=messages, stream=True)})
print(len(client().embeddings.create(model="sandbox/embedding", input="Hello").data))
print("sandbox/chat" in [model.id for model in client().models.list()])
`;

it.skipIf(!python && mayBeMissing)('OpenAI’s SDK for Python has a client for Azure, which works', async () => {
  const gateway = await startGateway({});
  try {
    const { stdout } = await run(python ?? 'python3', ['-c', program, gateway.url, secret]);
    expect(stdout.trim().split('\n')).toEqual(['chat.completion', "{'chat.completion.chunk'}", '1', 'True']);
  } finally {
    await gateway.close();
  }
});
