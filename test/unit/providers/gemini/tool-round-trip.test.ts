import { describe, expect, it } from 'vitest';
import type OpenAI from 'openai';
import { recording, replayDocument, replayStream } from '../replay.ts';
import { translated } from '../../protocols/gemini/translated.ts';
import { answerOf, documentOf, streamOf, withGemini, type Conversation } from './ask.ts';

const model = 'gemini/gemini-3-pro-preview';

const tools: OpenAI.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } },
];

type Turn = (
  conversation: Conversation,
  messages: OpenAI.ChatCompletionMessageParam[],
) => Promise<OpenAI.ChatCompletionMessage>;

const turns: Record<string, Turn> = {
  streamed: async ({ client }, messages) => client.chat.completions.stream({ model, messages, tools }).finalMessage(),
  unstreamed: async ({ client }, messages) => {
    const { choices } = await client.chat.completions.create({ model, messages, tools });
    if (choices[0] === undefined) throw new Error('no choice came');
    return choices[0].message;
  },
};

/** Asks, answers every call with its place, sends all of it back, and tells what Google received then. */
async function roundTrip(script: Parameters<typeof withGemini>[0], turn: Turn): Promise<unknown[]> {
  return withGemini(script, async (conversation) => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'How is the weather?' }];
    const message = await turn(conversation, messages);
    messages.push(message);
    for (const [place, call] of (message.tool_calls ?? []).entries())
      messages.push({ role: 'tool', tool_call_id: call.id, content: JSON.stringify({ place }) });
    messages.push({ role: 'user', content: 'And now?' });
    conversation.answerWith(
      turn === turns.streamed ? streamOf([answerOf([{ text: 'Fine.' }])]) : documentOf(answerOf([{ text: 'Fine.' }])),
    );
    await turn(conversation, messages);
    const contents = conversation.requests[1]?.json.contents;
    if (!Array.isArray(contents)) throw new Error('no contents came');
    return contents;
  });
}

/** The parts of a recorded answer as they should come back: unsigned pieces of text joined, empty ones left out. */
function expectedParts(events: readonly Record<string, unknown>[]): unknown[] {
  const parts: Record<string, unknown>[] = [];
  for (const event of events)
    for (const part of partsOf(event)) {
      if (part.thought === true || (part.text === '' && part.thoughtSignature === undefined)) continue;
      const last = parts.at(-1);
      const joins = typeof part.text === 'string' && part.thoughtSignature === undefined;
      if (joins && typeof last?.text === 'string' && last.thoughtSignature === undefined)
        last.text = last.text + part.text;
      else parts.push({ ...part });
    }
  return parts;
}

function partsOf(event: Record<string, unknown>): Record<string, unknown>[] {
  const [candidate] = Array.isArray(event.candidates) ? event.candidates : [];
  return candidate?.content?.parts ?? [];
}

/** Ids are made where Google gives none. */
function withoutIds(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, inner: unknown) => (name === 'id' ? undefined : inner)));
}

function events(lines: string): Record<string, unknown>[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

describe('a message that a client sends back as it got it', () => {
  it.each([
    ['google-tool-call.json', 'unstreamed'],
    ['google-reasoning-gemini3.json', 'unstreamed'],
    ['google-text.json', 'unstreamed'],
    ['google-tool-call.chunks.txt', 'streamed'],
    ['google-tool-call-gemini3.chunks.txt', 'streamed'],
    ['google-reasoning.chunks.txt', 'streamed'],
    ['google-text.chunks.txt', 'streamed'],
  ] as const)('%s, %s, has its signatures on the same parts', async (file, way) => {
    const body = recording(`gemini/${file}`);
    const script = way === 'streamed' ? replayStream(body) : replayDocument(body);
    const turn = turns[way];
    if (turn === undefined) throw new Error('no such way');
    const contents = await roundTrip(script, turn);
    const parts = expectedParts(way === 'streamed' ? events(body) : [JSON.parse(body)]);
    expect(JSON.stringify(parts)).toContain('thoughtSignature');
    expect(withoutIds(contents[1])).toEqual({ role: 'model', parts });
  });

  it.each(Object.entries(turns))('%s, keeps every kind of signed part in its place', async (way, turn) => {
    const image = { inlineData: { mimeType: 'image/png', data: 'aGk=' } };
    const parts = [
      { text: 'Secret.', thought: true, thoughtSignature: 'of-thought' },
      { text: 'Zürich 🏔️', thoughtSignature: 'of-text' },
      { toolCall: { toolType: 'GOOGLE_SEARCH_WEB', id: 's', args: { q: 'x' } }, thoughtSignature: 'of-search' },
      { toolResponse: { toolType: 'GOOGLE_SEARCH_WEB', id: 's', response: {} } },
      { text: ' first' },
      { executableCode: { language: 'PYTHON', code: 'print(4)' }, thoughtSignature: 'of-code' },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '4' } },
      { functionCall: { id: 'a', name: 'weather', args: { at: 'Zürich' } }, thoughtSignature: 'of-call' },
      { functionCall: { id: 'b', name: 'weather', args: {} } },
      { text: ' then', thoughtSignature: 'of-text-behind' },
      { functionCall: { id: 'c', name: 'weather', args: { n: 3 } }, thoughtSignature: 'of-third-call' },
      { text: '', thoughtSignature: 'of-end' },
      { ...image, thoughtSignature: 'of-image' },
    ];
    const script =
      way === 'streamed' ? streamOf([...parts.map((part) => event(part)), answerOf([])]) : documentOf(answerOf(parts));
    const contents = await roundTrip(script, turn);
    expect(contents[1]).toEqual({ role: 'model', parts });
    const response = (id: string, place: number): unknown => ({
      functionResponse: { id, name: 'weather', response: { place } },
    });
    expect(contents[2]).toEqual({ role: 'user', parts: [response('a', 0), response('b', 1), response('c', 2)] });
    expect(contents[3]).toEqual({ role: 'user', parts: [{ text: 'And now?' }] });
  });

  it('has the signature of a call whose arguments were streamed, and made ids that match', async () => {
    const script = replayStream(recording('gemini/google-stream-no-args-tool-call.chunks.txt'));
    const { streamed } = turns;
    if (streamed === undefined) throw new Error('no such way');
    const [, said, results] = await roundTrip(script, streamed);
    const parts = said && typeof said === 'object' && 'parts' in said && Array.isArray(said.parts) ? said.parts : [];
    expect(parts.map(({ functionCall: { name, args } }) => [name, args])).toEqual([
      ['read_theme', {}],
      ['read_screen', { id: 'A' }],
      ['read_screen', { id: 'B' }],
      ['read_screen', { id: 'C' }],
    ]);
    expect(parts.map(({ thoughtSignature }) => typeof thoughtSignature)).toEqual([
      'string',
      'undefined',
      'undefined',
      'undefined',
    ]);
    const ids = parts.map(({ functionCall: { id } }) => id);
    expect(new Set(ids).size).toBe(4);
    expect(results).toMatchObject({ parts: ids.map((id) => ({ functionResponse: { id } })) });
  });
});

function event(part: unknown): unknown {
  return { candidates: [{ content: { role: 'model', parts: [part] }, index: 0 }] };
}

describe('a call without a signature', () => {
  const calls = ['1', '2'].map((id) => ({ id, type: 'function' as const, function: { name: 'f', arguments: '{}' } }));
  const messages = [
    {
      role: 'assistant' as const,
      tool_calls: calls,
      reasoning_details: [{ type: 'reasoning.encrypted', format: 'anthropic-claude-v1', id: '1', data: 'theirs' }],
    },
    { role: 'tool' as const, tool_call_id: '1', content: 'ok' },
  ];
  const signatures = (model: string): unknown => {
    const contents: unknown = translated({ messages }, { model }).sent.contents;
    const [content] = Array.isArray(contents) ? contents : [];
    return content.parts.map(({ thoughtSignature }: { thoughtSignature?: string }) => thoughtSignature ?? null);
  };

  it.each(['gemini-3-pro-preview', 'gemini-3.8-flash', 'gemini-4-argon', 'gemini-flash-latest'])(
    'gets Google’s placeholder on the first of a step for %s',
    (model) => expect(signatures(model)).toEqual(['skip_thought_signature_validator', null]),
  );

  it.each(['gemini-2.5-pro', 'gemini-2.0-flash', 'gemma-3-27b-it'])('gets none for %s, which demands none', (model) =>
    expect(signatures(model)).toEqual([null, null]),
  );
});
