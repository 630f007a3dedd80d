import { keyCode } from './key-code.ts';
import { sdkSamples } from './sdk-samples.ts';
import type { Sample } from './sample.ts';

/** A runnable chat completion in each language. @param key null reads it from the environment */
export function chatSamples({ origin, key, model }: { origin: string; key: string | null; model: string }): Sample[] {
  const code = keyCode(key);
  const { shell, typescript, python, pythonImport } = code;
  const request = { model, messages: [{ role: 'user', content: 'Hello!' }] };
  const body = JSON.stringify(request);
  return [
    {
      language: 'curl',
      code: `curl ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer ${shell}" \\
  -H "Content-Type: application/json" \\
  -d '${body}'`,
    },
    {
      language: 'TypeScript',
      code: `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: ${typescript} });

const stream = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Hello!' }],
  stream: true,
});
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta?.content ?? '');
}`,
    },
    {
      language: 'Python',
      code: `${pythonImport}from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key=${python})

response = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello!"}],
)
print(response.choices[0].message.content)`,
    },
    {
      language: 'GraphQL',
      code: `# over WebSocket (graphql-transport-ws) at ${origin.replace(/^http/, 'ws')}/graphql
# connection_init: { "authorization": "Bearer ${shell}" }
subscription {
  completion(input: {
    clientRequestId: "my-first-request"
    model: "${model}"
    messages: [{ role: "user", content: "Hello!" }]
  }) {
    ... on CompletionDelta { text }
    ... on CompletionFinished { usage { outputTokens } cost { amount } }
  }
}`,
    },
    ...sdkSamples(request, origin, code),
  ];
}
