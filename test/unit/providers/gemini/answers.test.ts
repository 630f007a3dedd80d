import { readdirSync } from 'node:fs';
import { createGoogle } from '@ai-sdk/google';
import { describe, expect, it } from 'vitest';
import type OpenAI from 'openai';
import type { Script } from '../../../harness/fake-provider.ts';
import {
  readByOracle,
  recording,
  replayDocument,
  replayStream,
  readThroughSluice,
  type ResponseContent,
} from '../replay.ts';
import { answerOf, documentOf, streamOf, withGemini } from './ask.ts';

const recordings = readdirSync(new URL('../../../fixtures/providers/gemini', import.meta.url)).filter(
  (file) => !file.startsWith('google-429'),
);

const model = 'gemini-3-pro-preview';
const asked = { provider: 'gemini', basePath: '/v1beta', model };

function oracle(script: Script, streamed: boolean): Promise<ResponseContent> {
  return readByOracle((baseURL) => createGoogle({ baseURL, apiKey: 'key' })(model), script, streamed);
}

describe('a recorded answer', () => {
  it.each(recordings)('%s tells what the AI SDK reads in it, and is metered', async (file) => {
    const streamed = file.endsWith('.chunks.txt');
    const body = recording(`gemini/${file}`);
    const script = streamed ? replayStream(body) : replayDocument(body);
    let metered = {};
    const onMetered = (record: object): void => void (metered = record);
    const { received, ...result } = await readThroughSluice({ ...asked, script, streamed, onMetered });
    expect(result).toEqual(await oracle(script, streamed));
    expect(result.text + result.reasoning + JSON.stringify(result.toolCalls)).not.toBe('[]');
    expect(metered).toMatchObject({
      status: 'succeeded',
      estimated: false,
      input_tokens: result.usage.input,
      output_tokens: result.usage.output,
      reasoning_tokens: result.usage.reasoning,
    });
    const method = streamed ? 'streamGenerateContent?alt=sse' : 'generateContent';
    expect(received.map(({ path }) => path)).toEqual([`/v1beta/models/${model}:${method}`]);
    expect(received[0]?.headers['x-goog-api-key']).toBe('provider-key');
  });
});

/** The same answer, whole and as a stream of one part an event, is told the same. */
async function bothWays(answer: Record<string, unknown>): Promise<OpenAI.ChatCompletion.Choice[]> {
  const request = { model: `gemini/${model}`, messages: [{ role: 'user' as const, content: 'Hello' }] };
  const whole = await withGemini(documentOf(answer), ({ client }) => client.chat.completions.create(request));
  const streamed = await withGemini(streamOf(inPieces(answer)), ({ client }) =>
    client.chat.completions.stream(request).finalChatCompletion(),
  );
  expect(plain(streamed.choices)).toEqual(plain(whole.choices));
  return whole.choices;
}

/** Without made ids, what the SDK adds, and members that a stream leaves out. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, inner: unknown) =>
      inner === null || name === 'parsed' || name === 'parsed_arguments' || isMadeId(name, inner) ? undefined : inner,
    ),
  );
}

function isMadeId(name: string, value: unknown): boolean {
  return name === 'id' && typeof value === 'string' && value.startsWith('call_');
}

function inPieces(answer: Record<string, unknown>): unknown[] {
  const { candidates, ...others } = answer;
  if (!Array.isArray(candidates)) return [answer];
  const events: unknown[] = [];
  for (const [index, { content, ...ending }] of candidates.entries()) {
    for (const part of content?.parts ?? [])
      events.push({
        candidates: [{ content: { role: 'model', parts: [part] }, index }],
        responseId: answer.responseId,
      });
    events.push({ candidates: [{ index, ...ending }] });
  }
  return [...events, others];
}

describe('an answer', () => {
  it('shows thoughts as reasoning, and text as text', async () => {
    const [choice] = await bothWays(
      answerOf([{ text: 'Let me see.', thought: true }, { text: 'Four' }, { text: '.' }]),
    );
    expect(choice?.message).toMatchObject({ content: 'Four.', reasoning_content: 'Let me see.' });
    expect(choice?.finish_reason).toBe('stop');
  });

  it('gives each call an id of its own, Google’s where it has one', async () => {
    const call = { functionCall: { id: 'fc-1', name: 'f', args: { a: 1 } } };
    const [choice] = await bothWays(answerOf([call, call, { functionCall: { name: 'g' } }]));
    const calls = choice?.message.tool_calls ?? [];
    expect(calls.map((one) => (one.type === 'function' ? [one.function.name, one.function.arguments] : []))).toEqual([
      ['f', '{"a":1}'],
      ['f', '{"a":1}'],
      ['g', '{}'],
    ]);
    expect(calls[0]?.id).toBe('fc-1');
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
    expect(choice?.finish_reason).toBe('tool_calls');
  });

  it('puts arguments together that are streamed by their places', async () => {
    const piece = (functionCall: unknown): unknown => ({ functionCall });
    const [choice] = await bothWays(
      answerOf([
        piece({ name: 'cook', id: 'c', willContinue: true }),
        piece({ partialArgs: [{ jsonPath: '$.name', stringValue: 'Las', willContinue: true }], willContinue: true }),
        piece({ partialArgs: [{ jsonPath: '$.name', stringValue: 'agna' }], willContinue: true }),
        piece({ partialArgs: [{ jsonPath: '$.steps[0].text', stringValue: 'boil' }], willContinue: true }),
        piece({ partialArgs: [{ jsonPath: '$.steps[1].minutes', numberValue: 8 }], willContinue: true }),
        piece({ partialArgs: [{ jsonPath: '$.steps[999999999].hot', boolValue: true }], willContinue: true }),
        piece({ partialArgs: [{ jsonPath: '$.note', nullValue: 'NULL_VALUE' }], willContinue: true }),
        piece({ partialArgs: [{ jsonPath: '$.tags[]' }, { jsonPath: '$.__proto__', stringValue: 'x' }] }),
        piece({ name: 'done', partialArgs: [{ jsonPath: '$.ok', boolValue: true }] }),
      ]),
    );
    const calls = choice?.message.tool_calls ?? [];
    expect(calls.map((call) => (call.type === 'function' ? call.function.arguments : ''))).toEqual([
      '{"name":"Lasagna","steps":[{"text":"boil"},{"minutes":8},{"hot":true}],"note":null,"tags":[],"__proto__":"x"}',
      '{"ok":true}',
    ]);
  });

  it('shows pictures, but none that belong to the thoughts', async () => {
    const inlineData = { mimeType: 'image/png', data: 'aGk=' };
    const [choice] = await bothWays(answerOf([{ inlineData, thought: true }, { inlineData }, { text: 'Look' }]));
    expect(choice?.message).toMatchObject({
      content: 'Look',
      images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }],
    });
  });

  it('shows code that was run, and what came of it', async () => {
    const [choice] = await bothWays(
      answerOf([
        { executableCode: { language: 'PYTHON', code: 'print(4)\n' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '4\n' } },
        { text: 'Four' },
      ]),
    );
    expect(choice?.message.content).toBe('\n```python\nprint(4)\n```\n\n```\n4\n```\nFour');
  });

  it('cites by characters what Google counts in bytes', async () => {
    const content = { role: 'model', parts: [{ text: 'Zürich 🏔️ liegt ' }, { text: 'am See.' }] };
    const bytes = (text: string): number => Buffer.byteLength(text);
    const groundingMetadata = {
      groundingChunks: [
        { web: { uri: 'https://a.example/', title: 'A' } },
        { web: { uri: 'https://b.example/', title: 'B' } },
        { retrievedContext: { uri: 'gs://no.page' } },
      ],
      groundingSupports: [
        { segment: { endIndex: bytes('Zürich 🏔️') }, groundingChunkIndices: [0, 2, 9] },
        { segment: { startIndex: bytes('Zürich 🏔️ liegt '), endIndex: 10_000 }, groundingChunkIndices: [0] },
      ],
    };
    const [choice] = await bothWays({
      ...answerOf([]),
      candidates: [{ content, finishReason: 'STOP', groundingMetadata }],
    });
    const text = choice?.message.content ?? '';
    const cited = (choice?.message.annotations ?? []).map(
      ({ url_citation: { start_index: start, end_index: end, ...page } }) => [page.url, text.slice(start, end)],
    );
    expect(cited).toEqual([
      ['https://a.example/', 'Zürich 🏔️'],
      ['https://a.example/', 'am See.'],
      ['https://b.example/', ''],
    ]);
  });

  it('tells the log probabilities of its tokens', async () => {
    const logprobsResult = {
      chosenCandidates: [{ token: 'Yes', tokenId: 1, logProbability: -0.25 }, { token: '!' }],
      topCandidates: [
        {
          candidates: [
            { token: 'Yes', logProbability: -0.25 },
            { token: 'No', logProbability: -2 },
          ],
        },
      ],
    };
    const answer = answerOf([]);
    const candidate = { content: { parts: [{ text: 'Yes!' }] }, finishReason: 'STOP', logprobsResult };
    const [choice] = await bothWays({ ...answer, candidates: [candidate] });
    expect(choice?.logprobs?.content).toEqual([
      {
        token: 'Yes',
        logprob: -0.25,
        bytes: null,
        top_logprobs: [
          { token: 'Yes', logprob: -0.25, bytes: null },
          { token: 'No', logprob: -2, bytes: null },
        ],
      },
      { token: '!', logprob: 0, bytes: null, top_logprobs: [] },
    ]);
  });

  it('tells several candidates as choices', async () => {
    const candidate = (text: string): unknown => ({ content: { parts: [{ text }] }, finishReason: 'STOP' });
    const choices = await bothWays({ ...answerOf([]), candidates: [candidate('one'), candidate('two')] });
    expect(choices.map(({ index, message }) => [index, message.content])).toEqual([
      [0, 'one'],
      [1, 'two'],
    ]);
  });

  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['CONTINUATION', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['SPII', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['MALFORMED_FUNCTION_CALL', 'stop'],
    ['OTHER', 'stop'],
    ['A_REASON_OF_TOMORROW', 'stop'],
  ])('that ended by %s ends by %s', async (finishReason, expected) => {
    const [choice] = await bothWays({ ...answerOf([]), candidates: [{ finishReason }] });
    expect(choice?.finish_reason).toBe(expected);
  });

  it('says that the prompt was blocked', async () => {
    const [choice] = await bothWays({
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
    });
    expect(choice?.finish_reason).toBe('content_filter');
    expect(choice?.message.refusal).toContain('PROHIBITED_CONTENT');
  });

  it('is passed through parts, members and events that nobody knows', async () => {
    const odd = [
      { text: 'Yes', newMember: { deep: true } },
      { toolCall: { toolType: 'GOOGLE_SEARCH', id: 'x' } },
      { somethingNew: 1 },
      { functionCall: {} },
      { inlineData: { mimeType: 'audio/L16', data: 'AAAA' } },
      null,
      7,
    ];
    const [choice] = await bothWays({ ...answerOf(odd), newEverywhere: [] });
    expect(choice?.message.content).toBe('Yes');
    const events = [null, 7, {}, { candidates: 7 }, { candidates: [null, { index: 1e9 }] }, answerOf([{ text: 'Hi' }])];
    const result = await readThroughSluice({ ...asked, script: streamOf(events), streamed: true });
    expect(result).toMatchObject({ text: 'Hi', finish: 'stop' });
  });
});

describe('usage', () => {
  it('counts thoughts as output, tools’ findings as input, what was cached as part of the prompt', async () => {
    const usageMetadata = {
      promptTokenCount: 100,
      toolUsePromptTokenCount: 20,
      cachedContentTokenCount: 60,
      candidatesTokenCount: 7,
      thoughtsTokenCount: 5,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 68 },
        { modality: 'AUDIO', tokenCount: 32 },
      ],
    };
    const script = documentOf({ ...answerOf([{ text: 'x' }]), usageMetadata });
    const { usage } = await withGemini(script, ({ client }) =>
      client.chat.completions.create({ model: `gemini/${model}`, messages: [{ role: 'user', content: 'x' }] }),
    );
    expect(usage).toMatchObject({
      prompt_tokens: 120,
      completion_tokens: 12,
      total_tokens: 132,
      prompt_tokens_details: { cached_tokens: 60, audio_tokens: 32 },
      completion_tokens_details: { reasoning_tokens: 5 },
    });
  });

  it('is taken from an event after the end', async () => {
    const { usageMetadata, ...answer } = answerOf([{ text: 'x' }]);
    const result = await readThroughSluice({ ...asked, script: streamOf([answer, { usageMetadata }]), streamed: true });
    expect(result.usage).toMatchObject({ input: 3, output: 2 });
  });
});

describe('a stream', () => {
  it('without a finish reason was cut, and says so', async () => {
    const { candidates: _, ...others } = answerOf([]);
    const cut = { ...others, candidates: [{ content: { parts: [{ text: 'Half' }] } }] };
    await expect(readThroughSluice({ ...asked, script: streamOf([cut]), streamed: true })).rejects.toThrow(
      /before it was complete/,
    );
  });

  it('of which one of two candidates has not ended was cut', async () => {
    const candidates = [
      { content: { parts: [{ text: 'a' }] }, finishReason: 'STOP' },
      { content: { parts: [{ text: 'b' }] } },
    ];
    const script = streamOf([{ ...answerOf([]), candidates }]);
    await expect(readThroughSluice({ ...asked, script, streamed: true })).rejects.toThrow(/before it was complete/);
  });

  it('that turns into an error ends with it', async () => {
    const error = { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' };
    const script = streamOf([{ ...answerOf([]), candidates: [{ content: { parts: [{ text: 'a' }] } }] }, { error }]);
    await expect(readThroughSluice({ ...asked, script, streamed: true })).rejects.toThrow('The model is overloaded.');
  });
});
