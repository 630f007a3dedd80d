import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import {
  chunk,
  completion,
  json,
  pieces,
  refusal,
  silence,
  startFakeProvider,
  stream,
  usage,
  type FakeProvider,
  type Script,
} from '../../harness/fake-provider.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
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

interface Posting {
  /** Of another gateway. */
  readonly url?: string;
  readonly signal?: AbortSignal;
}

function post(body: object, { url = gateway.url, signal }: Posting = {}): Promise<Response> {
  return fetch(`${url}/v1/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
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

/** The estimated input of one prompt: a quarter of the bytes of its chat. */
function estimatedInput(prompt: string, members: object = {}): number {
  const request = {
    model: 'either',
    messages: [{ role: 'user', content: prompt }],
    max_completion_tokens: 16,
    ...members,
  };
  return Math.ceil(JSON.stringify(request).length / 4);
}

/** Answers the first two of six prompts. The fifth fails once all six were sent, the others never answer. */
function failingFifth(answer: Script, fail: Script): { readonly script: Script; readonly before: number } {
  const before = upstream.requests.length;
  const script: Script = async (request, response) => {
    const prompt = promptIn(request.body);
    if (prompt === 'prompt-0' || prompt === 'prompt-1') return answer(request, response);
    if (prompt !== 'prompt-4') return;
    await upstream.whenRequested(before + 6);
    return fail(request, response);
  };
  return { script, before };
}

/** What one answer without usage is estimated to. */
async function estimatedOutput(answer: Script): Promise<number> {
  upstream.answerWith(answer);
  await (await post({ model: MODEL, prompt: 'prompt-0' })).text();
  return gateway.settled().at(-1)?.output_tokens ?? 0;
}

it('fail with the first call that fails, on one target alone, and what was received is billed', async () => {
  upstream.answerWith(echoing());
  await (await post({ model: MODEL, prompt: 'prompt-0' })).text();
  const alone = gateway.settled().at(-1);
  const { script, before } = failingFifth(echoing(), refusal(500, 'broken'));
  upstream.answerWith(script);
  const settled = gateway.settled().length;
  const response = await post({ model: 'either', prompt: prompts(40) });
  expect(response.status).toBeGreaterThanOrEqual(500);
  await response.text();
  // The others are not started.
  expect(upstream.requests.length - before).toBe(6);
  expect(gateway.settled().slice(settled)).toMatchObject([
    {
      status: 'failed',
      model: MODEL,
      input_tokens: 2 * usage.prompt_tokens,
      output_tokens: 2 * usage.completion_tokens,
      cost_nano: String(2 * Number(alone?.cost_nano)),
      estimated: false,
    },
  ]);
});

it('without usage are estimated, and a failure after the first is neither free nor tried elsewhere', async () => {
  const silent: Script = (request, response) =>
    completion({ usage: undefined, id: promptIn(request.body) })(request, response);
  const output = await estimatedOutput(silent);
  expect(output).toBeGreaterThan(0);
  const { script, before } = failingFifth(silent, refusal(500, 'broken'));
  upstream.answerWith(script);
  const settled = gateway.settled().length;
  await (await post({ model: 'either', prompt: prompts(6) })).text();
  expect(upstream.requests.length - before).toBe(6);
  const input = estimatedInput('prompt-0');
  expect(gateway.settled().slice(settled)).toMatchObject([
    { status: 'failed', model: MODEL, input_tokens: 2 * input, output_tokens: 2 * output, estimated: true },
  ]);
});

it('without usage are estimated with the tools of each', async () => {
  const silent: Script = (request, response) => completion({ usage: undefined })(request, response);
  const output = await estimatedOutput(silent);
  const tools = [{ type: 'function', function: { name: 'look', description: 'x'.repeat(1_000) } }];
  const response = await post({ model: 'either', prompt: prompts(5), tools });
  expect(response.status).toBe(200);
  await response.text();
  const input = 5 * estimatedInput('prompt-0', { tools });
  expect(gateway.settled().at(-1)).toMatchObject({
    status: 'succeeded',
    input_tokens: input,
    output_tokens: 5 * output,
    estimated: true,
  });
});

it('are billed where one exceeds its time, and not tried elsewhere', async () => {
  const { script, before } = failingFifth(echoing(), silence);
  upstream.answerWith(script);
  const clock = new FakeClock();
  const slow = await startGateway({
    openai: upstream.url,
    providers: { deepseek: upstream.url },
    timeouts: { answer: 60_000 },
    pipelineClock: clock,
    config: 'routing: { retries: 1 }\nroutes:\n  either:\n    targets: [openai/gpt-4.1-mini, deepseek/deepseek-chat]\n',
  });
  try {
    const posted = post({ model: 'either', prompt: prompts(6) }, { url: slow.url });
    await upstream.whenRequested(before + 6);
    clock.advance(61_000);
    expect(await failed(await posted)).toMatchObject({ code: 'provider_timeout' });
    expect(upstream.requests.length - before).toBe(6);
    expect(slow.settled()).toMatchObject([{ status: 'failed', model: MODEL, input_tokens: 24, output_tokens: 10 }]);
  } finally {
    await slow.close();
  }
});

it('are billed where the client disconnects, those in progress by their input', async () => {
  const { script, before } = failingFifth(echoing(), silence);
  upstream.answerWith(script);
  const settled = gateway.settled().length;
  const client = new AbortController();
  const response = post({ model: 'either', prompt: prompts(40) }, { signal: client.signal });
  await upstream.whenRequested(before + 6);
  client.abort();
  await expect(response).rejects.toThrow('aborted');
  const [record] = (await gateway.settledCount(settled + 1)).slice(settled);
  expect(record).toMatchObject({
    status: 'aborted',
    input_tokens: 2 * usage.prompt_tokens + 4 * estimatedInput('prompt-2'),
    output_tokens: 2 * usage.completion_tokens,
    estimated: true,
  });
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

const half = (then: 'hang' | 'cut'): Script => pieces([chunk({ role: 'assistant', content: 'Half of it' })], then);

/** The output that one stream with half a response is estimated to. */
async function estimatedHalf(): Promise<number> {
  upstream.answerWith(half('cut'));
  await (await post({ model: MODEL, prompt: 'prompt-0', stream: true })).text();
  const output = gateway.settled().at(-1)?.output_tokens ?? 0;
  expect(output).toBeGreaterThan(0);
  return output;
}

it('end with an error in the stream if a call breaks off, and are billed', async () => {
  const output = await estimatedHalf();
  const before = upstream.requests.length;
  upstream.answerWith(async (request, response) => {
    const prompt = promptIn(request.body);
    if (prompt === 'prompt-0' || prompt === 'prompt-1') return streaming(request, response);
    if (prompt !== 'prompt-2' && prompt !== 'prompt-4') return;
    await upstream.whenRequested(before + 6);
    if (prompt === 'prompt-4') breakOff = () => response.socket?.destroy();
    await half('hang')(request, response);
  });
  let breakOff: () => void = () => undefined;
  const settled = gateway.settled().length;
  const response = await post({ model: 'either', prompt: prompts(40), stream: true });
  let text = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    // The client has output of both.
    if (text.split('Half of it').length === 3) breakOff();
  }
  expect(readEventData(text).at(-1)).toMatchObject({ error: { code: 'provider_stream_cut' } });
  expect(upstream.requests.length - before).toBe(6);
  // Those without output are free.
  expect(gateway.settled().slice(settled)).toMatchObject([
    {
      status: 'failed',
      input_tokens: 2 * usage.prompt_tokens + 2 * estimatedInput('prompt-2'),
      output_tokens: 2 * usage.completion_tokens + 2 * output,
      estimated: true,
    },
  ]);
});

it('end with the client, together', async () => {
  upstream.answerWith((request, response) =>
    pieces([chunk({ role: 'assistant', content: promptIn(request.body) })], 'hang')(request, response),
  );
  const before = upstream.requests.length;
  const client = new AbortController();
  const response = await post({ model: MODEL, prompt: prompts(5), stream: true }, { signal: client.signal });
  await upstream.whenRequested(before + 4);
  client.abort();
  await Promise.all(upstream.requests.slice(before).map(({ aborted }) => aborted));
  expect(upstream.requests.length - before).toBe(4);
  await expect(response.text()).rejects.toThrow('aborted');
});

it('streamed are billed where the client disconnects, with what it received of each', async () => {
  const output = await estimatedHalf();
  const before = upstream.requests.length;
  upstream.answerWith((request, response) => {
    const prompt = promptIn(request.body);
    if (prompt === 'prompt-0') return streaming(request, response);
    return prompt === 'prompt-4' ? half('hang')(request, response) : undefined;
  });
  const settled = gateway.settled().length;
  const client = new AbortController();
  const response = await post({ model: MODEL, prompt: prompts(40), stream: true }, { signal: client.signal });
  let text = '';
  await expect(async () => {
    for await (const bytes of response.body ?? []) {
      text += Buffer.from(bytes).toString();
      if (text.includes('Half of it')) client.abort();
    }
  }).rejects.toThrow('aborted');
  expect(upstream.requests.length - before).toBe(5);
  const [record] = (await gateway.settledCount(settled + 1)).slice(settled);
  expect(record).toMatchObject({
    status: 'aborted',
    input_tokens: usage.prompt_tokens + 4 * estimatedInput('prompt-2', { model: MODEL }),
    output_tokens: usage.completion_tokens + output,
    estimated: true,
  });
});

it.each(['openai/gpt-4.1-mini', 'anthropic/claude-sonnet-4-5'])('are too long together: %s', async (model) => {
  const text = 'x'.repeat(20 * 1024 * 1024);
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', stop_reason: 'end_turn' };
  const used = { input_tokens: 3, output_tokens: 2 };
  const choice = { index: 0, message: { role: 'assistant', content: text }, logprobs: null, finish_reason: 'stop' };
  upstream.answerWith(
    model.startsWith('openai')
      ? completion({ choices: [choice] })
      : json(200, { ...message, stop_sequence: null, content: [{ type: 'text', text }], usage: used }),
  );
  const enough = await post({ model, prompt: prompts(3) });
  expect(enough.status).toBe(200);
  await enough.arrayBuffer();
  const response = await post({ model, prompt: prompts(4) });
  expect(response.status).toBe(502);
  expect(await failed(response)).toMatchObject({ code: 'provider_invalid_response' });
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
