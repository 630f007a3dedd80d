import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import {
  chunk,
  completion,
  json,
  pieces,
  refusal,
  startFakeProvider,
  stream,
  usage,
  type FakeProvider,
  type Script,
} from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';
import { expectOpenAi } from '../../harness/openai-schema.ts';
import { readEventData } from '../../harness/read-events.ts';

const MODEL = 'openai/gpt-4.1-mini';
const completionSchema = z.looseObject({
  choices: z.array(z.looseObject({ index: z.int(), text: z.string(), finish_reason: z.string().nullable() })),
  usage: z.looseObject({ prompt_tokens: z.int(), completion_tokens: z.int(), cost: z.number().optional() }).nullish(),
});

let upstream: FakeProvider;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startFakeProvider();
  gateway = await startGateway({
    openai: upstream.url,
    providers: { anthropic: upstream.url, deepseek: upstream.url },
    config: 'routing: { retries: 1 }\nroutes:\n  either:\n    targets: [openai/gpt-4.1-mini, deepseek/deepseek-chat]\n',
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

function post(body: object): Promise<Response> {
  return fetch(`${gateway.url}/v1/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** The prompt that a provider received. */
const promptIn = (body: string): string => /"content":"(prompt-\d+)"/.exec(body)?.[1] ?? '';

/** Answers each prompt with itself. @param choices of each */
const echoing =
  (choices = 1): Script =>
  (request, response) => {
    const prompt = promptIn(request.body);
    const answered = Array.from({ length: choices }, (_, index) => ({
      index,
      message: { role: 'assistant', content: `${prompt}/${index}`, refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    }));
    return completion({ choices: answered })(request, response);
  };

const streaming: Script = (request, response) => stream([`${promptIn(request.body)}`, '!'])(request, response);

const prompts = (count: number): string[] => Array.from({ length: count }, (_, index) => `prompt-${index}`);

async function failed(response: Response): Promise<{ code: string; param: string | null }> {
  return z.object({ error: z.object({ code: z.string(), param: z.string().nullable() }) }).parse(await response.json())
    .error;
}

it('each is a call, whose choices follow those of the one before, and all are one request', async () => {
  upstream.answerWith(echoing(2));
  const [before, settled] = [upstream.requests.length, gateway.settled().length];
  const response = await post({ model: MODEL, prompt: prompts(6), n: 2, max_tokens: 7 });
  const document: unknown = await response.json();
  expectOpenAi('CreateCompletionResponse', document);
  const { choices, usage: used } = completionSchema.parse(document);
  expect(choices.map(({ index, text }) => [index, text])).toEqual(
    Array.from({ length: 12 }, (_, index) => [index, `prompt-${Math.floor(index / 2)}/${index % 2}`]),
  );
  const sent = upstream.requests.slice(before);
  expect(sent.map(({ body }) => promptIn(body)).toSorted()).toEqual(prompts(6));
  expect(sent.map(({ json: { n, max_completion_tokens: limit } }) => [n, limit])).toEqual(
    Array.from({ length: 6 }, () => [2, 7]),
  );
  expect(used).toMatchObject({
    prompt_tokens: 6 * usage.prompt_tokens,
    completion_tokens: 6 * usage.completion_tokens,
    total_tokens: 6 * usage.total_tokens,
    prompt_tokens_details: { cached_tokens: 24 },
  });
  const records = gateway.settled().slice(settled);
  expect(records).toHaveLength(1);
  expect(records[0]).toMatchObject({ status: 'succeeded', input_tokens: 72, output_tokens: 30, estimated: false });
  expect(Number(records[0]?.cost_nano)).toBe(Math.round((used?.cost ?? 0) * 1e9));
  const alone = await post({ model: MODEL, prompt: ['prompt-0'], n: 2 });
  await alone.text();
  expect(Number(records[0]?.cost_nano)).toBe(6 * Number(gateway.settled().at(-1)?.cost_nano));
});

it('are streamed with the index of their choice and the usage of all', async () => {
  upstream.answerWith(streaming);
  const settled = gateway.settled().length;
  const response = await post({
    model: MODEL,
    prompt: prompts(5),
    stream: true,
    echo: true,
    stream_options: { include_usage: true },
  });
  const data = readEventData(await response.text());
  const events = data.map((each) => completionSchema.parse(each));
  const texts = new Map<number, string>();
  const finished: number[] = [];
  for (const { index, text, finish_reason: reason } of events.flatMap(({ choices }) => choices)) {
    texts.set(index, (texts.get(index) ?? '') + text);
    if (reason !== null) finished.push(index);
  }
  // Each begins with its own prompt.
  expect([...texts].toSorted(([a], [b]) => a - b)).toEqual(
    prompts(5).map((prompt, index) => [index, `${prompt}${prompt}!`]),
  );
  expect(finished.toSorted()).toEqual([0, 1, 2, 3, 4]);
  expect(events.at(-1)?.usage).toMatchObject({ prompt_tokens: 60, completion_tokens: 25 });
  expect(gateway.settled().slice(settled)).toMatchObject([
    { status: 'succeeded', input_tokens: 60, output_tokens: 25, estimated: false, streamed: true },
  ]);
});

it.each([false, true])('are converted for a provider of another protocol, streamed: %s', async (isStreamed) => {
  upstream.answerWith((request, response) => {
    const text = `${promptIn(request.body.replace(/\[\{"type":"text","text":("prompt-\d+")\}\]/, '$1'))}!`;
    const used = { input_tokens: 3, output_tokens: 2 };
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', stop_sequence: null };
    if (!isStreamed) {
      const content = [{ type: 'text', text }];
      return json(200, { ...message, content, stop_reason: 'end_turn', usage: used })(request, response);
    }
    const events = [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage: used } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ];
    const texts = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    return pieces(texts, 'end', 'text/event-stream')(request, response);
  });
  const settled = gateway.settled().length;
  const response = await post({ model: 'anthropic/claude-sonnet-4-5', prompt: prompts(3), stream: isStreamed });
  const text = await response.text();
  const documents: readonly unknown[] = isStreamed ? readEventData(text) : [JSON.parse(text)];
  const texts = ['', '', ''];
  for (const each of documents)
    for (const choice of completionSchema.parse(each).choices) texts[choice.index] += choice.text;
  expect(texts.every((each) => each.endsWith('!'))).toBe(true);
  expect(gateway.settled().slice(settled)).toMatchObject([
    { status: 'succeeded', input_tokens: 9, output_tokens: 6, estimated: false },
  ]);
});

it('at most four are in progress', async () => {
  let open = 0;
  let most = 0;
  const answer = echoing();
  upstream.answerWith(async (request, response) => {
    most = Math.max(most, ++open);
    await new Promise((resolve) => setImmediate(resolve));
    open--;
    await answer(request, response);
  });
  await (await post({ model: MODEL, prompt: prompts(20) })).text();
  expect(most).toBeLessThanOrEqual(4);
});

it('fail with the first call that fails, on one target alone, and what was received is billed', async () => {
  const answer = echoing();
  const failing = refusal(500, 'broken');
  let answered = 0;
  upstream.answerWith(async (request, response) => {
    if (promptIn(request.body) !== 'prompt-4') {
      await answer(request, response);
      answered++;
    } else await failing(request, response);
  });
  const [before, settled] = [upstream.requests.length, gateway.settled().length];
  const response = await post({ model: 'either', prompt: prompts(40) });
  expect(response.status).toBeGreaterThanOrEqual(500);
  await response.text();
  // The others are not started.
  expect(upstream.requests.length - before).toBeLessThan(12);
  const records = gateway.settled().slice(settled);
  expect(records).toMatchObject([{ status: 'failed', model: MODEL }]);
  const [{ input_tokens: input, cost_nano: cost } = { input_tokens: 0, cost_nano: '0' }] = records;
  expect(input % usage.prompt_tokens).toBe(0);
  expect(input).toBeGreaterThan(0);
  expect(input).toBeLessThanOrEqual(answered * usage.prompt_tokens);
  expect(Number(cost)).toBeGreaterThan(0);
});

it('are sent to another target if a call fails before anything was received', async () => {
  const answer = echoing();
  const failing = refusal(500, 'broken');
  upstream.answerWith((request, response) =>
    request.json.model === 'gpt-4.1-mini' ? failing(request, response) : answer(request, response),
  );
  const settled = gateway.settled().length;
  const response = await post({ model: 'either', prompt: prompts(3) });
  expect(completionSchema.parse(await response.json()).choices).toHaveLength(3);
  expect(gateway.settled().slice(settled)).toMatchObject([{ status: 'succeeded', input_tokens: 36 }]);
});

it('end with an error in the stream if a call breaks off, and are billed', async () => {
  upstream.answerWith((request, response) =>
    promptIn(request.body) === 'prompt-4'
      ? pieces([chunk({ role: 'assistant', content: 'Half' })], 'cut')(request, response)
      : streaming(request, response),
  );
  const settled = gateway.settled().length;
  const response = await post({ model: MODEL, prompt: prompts(5), stream: true });
  const last = readEventData(await response.text()).at(-1);
  expect(last).toMatchObject({ error: { code: 'provider_stream_cut' } });
  const [record] = gateway.settled().slice(settled);
  expect(record).toMatchObject({ status: 'failed' });
  expect(record?.input_tokens).toBeGreaterThanOrEqual(usage.prompt_tokens);
});

it('end with the client, together', async () => {
  upstream.answerWith((request, response) =>
    pieces([chunk({ role: 'assistant', content: promptIn(request.body) })], 'hang')(request, response),
  );
  const before = upstream.requests.length;
  const client = new AbortController();
  const response = await fetch(`${gateway.url}/v1/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, prompt: prompts(5), stream: true }),
    signal: client.signal,
  });
  await upstream.whenRequested(before + 4);
  client.abort();
  await Promise.all(upstream.requests.slice(before).map(({ aborted }) => aborted));
  expect(upstream.requests.length - before).toBe(4);
  await expect(response.text()).rejects.toThrow('aborted');
});

it.each<[string, object]>([
  ['tokens', { prompt: [1, 2] }],
  ['lists of tokens', { prompt: [[1], [2]] }],
  ['more than 64', { prompt: prompts(65) }],
  ['an empty one', { prompt: ['prompt-0', ''] }],
])('are refused by name: %s', async (_what, body) => {
  const before = upstream.requests.length;
  const response = await post({ model: MODEL, ...body });
  expect(response.status).toBe(400);
  expect(await failed(response)).toEqual(expect.objectContaining({ code: 'unsupported_value', param: 'prompt' }));
  expect(upstream.requests.length).toBe(before);
});

it('are priced by the call where a request has a fee', async () => {
  upstream.answerWith(echoing());
  const settled = gateway.settled().length;
  await (await post({ model: 'openai/gpt-5-search-api', prompt: prompts(3) })).text();
  await (await post({ model: 'openai/gpt-5-search-api', prompt: ['prompt-0'] })).text();
  const [several, one] = gateway.settled().slice(settled);
  expect(several?.units).toMatchObject({ calls: 3, longestInput: usage.prompt_tokens });
  expect(one?.units ?? null).toBeNull();
  expect(Number(several?.cost_nano)).toBe(3 * Number(one?.cost_nano));
  expect(Number(one?.cost_nano)).toBeGreaterThan(10_000_000);
});
