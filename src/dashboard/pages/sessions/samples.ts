import { keyCode } from '../../design/key-code.ts';
import type { Sample } from '../../design/sample.ts';

/** A first request of a session. The key is read from the environment. */
export function sessionSamples(origin: string, model: string): readonly Sample[] {
  const key = keyCode(null);
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Say hello.' }] });
  return [
    {
      language: 'curl',
      code: `curl ${origin}/v1/chat/completions -H "Authorization: Bearer $SLUICE_API_KEY" \\
  -H "Content-Type: application/json" \\
  -H "x-sluice-session-id: run-42" -H "x-sluice-parent-id: plan" \\
  -d '${body}'`,
    },
    {
      language: 'TypeScript',
      code: `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${origin}/v1',
  apiKey: ${key.typescript},
  defaultHeaders: { 'x-sluice-session-id': 'run-42' },
});
const response = await client.chat.completions.create(${body});
console.log(response.choices[0].message.content);`,
    },
    {
      language: 'Python',
      code: `import os
from openai import OpenAI

client = OpenAI(
    base_url="${origin}/v1",
    api_key=${key.python},
    default_headers={"x-sluice-session-id": "run-42"},
)
response = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Say hello."}],
)
print(response.choices[0].message.content)`,
    },
  ];
}
