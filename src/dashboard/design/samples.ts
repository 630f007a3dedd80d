import type { Sample } from './code.tsx';

/** A chat completion in each language, ready to run. @param key shown as it is given: a placeholder, or a key just made */
export function chatSamples({ origin, key, model }: { origin: string; key: string; model: string }): Sample[] {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }] });
  return [
    {
      language: 'curl',
      code: `curl ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '${body}'`,
    },
    {
      language: 'TypeScript',
      code: `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: '${key}' });

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
      code: `from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key="${key}")

answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello!"}],
)
print(answer.choices[0].message.content)`,
    },
    {
      language: 'GraphQL',
      code: `# over WebSocket (graphql-transport-ws) at ${origin.replace(/^http/, 'ws')}/graphql
# connection_init: { "authorization": "Bearer ${key}" }
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
  ];
}
