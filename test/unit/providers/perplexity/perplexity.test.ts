import { createPerplexity } from '@ai-sdk/perplexity';
import OpenAI from 'openai';
import { expect, it } from 'vitest';
import { startFakeProvider, type Script } from '../../../harness/fake-provider.ts';
import { secret, startGateway } from '../../../harness/gateway.ts';
import { describeProvider } from '../provider-contract.ts';
import { recording, replayDocument, replayStream, readThroughSluice } from '../replay.ts';

const provider = 'perplexity';

describeProvider({
  id: provider,
  url: 'https://api.perplexity.ai/chat/completions',
  oracle: (baseURL) => createPerplexity({ baseURL, apiKey: 'key' }).languageModel('recorded-model'),
  refuses: { seed: 7, stop: ['end'], tools: [{ type: 'function', function: { name: 'f' } }] },
  renames: { max_completion_tokens: ['max_tokens', 64] },
  supportsStreamOptions: false,
});

const file = `${provider}/perplexity-text`;

it('returns Perplexity’s sources as annotations and its usage, both once per stream', async () => {
  const { citations } = JSON.parse(recording(`${file}.chunks.txt`).split('\n', 1)[0] ?? '');
  const chunks = await streamed(replayStream(recording(`${file}.chunks.txt`), { done: true }));
  const annotated = chunks.flatMap(({ choices }) => choices.filter(({ delta }) => 'annotations' in delta));
  expect(annotated).toHaveLength(1);
  expect(annotated[0]?.delta).toMatchObject({ annotations: citations.map(annotation) });
  expect(chunks.filter(({ usage }) => usage)).toHaveLength(1);
  expect(new Set(chunks.map(({ object }) => object))).toEqual(new Set(['chat.completion.chunk']));
});

it('prefers sources with titles, and counts reasoning as output', async () => {
  const document = JSON.parse(recording(`${file}.json`));
  const body = JSON.stringify({
    ...document,
    search_results: [{ title: 'A page', url: 'https://example.com/a', date: null }, { title: 'no address' }, 7],
    usage: { ...document.usage, reasoning_tokens: 1_000 },
  });
  const message = await answered(replayDocument(body));
  expect(message).toMatchObject({
    annotations: [
      {
        type: 'url_citation',
        url_citation: { url: 'https://example.com/a', title: 'A page', start_index: 0, end_index: 0 },
      },
    ],
  });
  const result = await readThroughSluice({ provider, streamed: false, script: replayDocument(body) });
  const { prompt_tokens: input, completion_tokens } = document.usage;
  expect(result.usage).toEqual({ input, output: completion_tokens + 1_000, cached: 0, reasoning: 1_000 });
});

function annotation(url: string): unknown {
  return { type: 'url_citation', url_citation: { url, title: url, start_index: 0, end_index: 0 } };
}

const request = { model: `${provider}/sonar`, messages: [{ role: 'user' as const, content: 'Hello' }] };

async function streamed(script: Script): Promise<OpenAI.ChatCompletionChunk[]> {
  return asked(script, async (client) => {
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    const options = { stream: true, stream_options: { include_usage: true } } as const;
    for await (const chunk of await client.chat.completions.create({ ...request, ...options })) chunks.push(chunk);
    return chunks;
  });
}

async function answered(script: Script): Promise<unknown> {
  return asked(script, async (client) => (await client.chat.completions.create(request)).choices[0]?.message);
}

async function asked<Result>(script: Script, ask: (client: OpenAI) => Promise<Result>): Promise<Result> {
  const upstream = await startFakeProvider(script);
  const gateway = await startGateway({ providers: { [provider]: upstream.url } });
  try {
    return await ask(new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 }));
  } finally {
    await gateway.close();
    await upstream.close();
  }
}
