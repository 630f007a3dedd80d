import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { recording, replayDocument, replayStream } from '../replay.ts';
import { translated } from '../../protocols/messages/translated.ts';
import { documentOf, eventsOf, messageOf, streamOf, withAnthropic, type Conversation } from './ask.ts';

const tools: OpenAI.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } },
];

type Turn = (
  conversation: Conversation,
  request: OpenAI.ChatCompletionCreateParamsNonStreaming,
) => Promise<OpenAI.ChatCompletionMessage>;

const turns: Record<'streamed' | 'unstreamed', Turn> = {
  streamed: async ({ client }, request) => client.chat.completions.stream({ ...request, stream: true }).finalMessage(),
  unstreamed: async ({ client }, request) => {
    const { choices } = await client.chat.completions.create(request);
    if (choices[0] === undefined) throw new Error('no choice came');
    return choices[0].message;
  },
};
const ways = ['streamed', 'unstreamed'] as const;

function scriptOf(way: keyof typeof turns, message: Record<string, unknown>): Parameters<typeof withAnthropic>[0] {
  return way === 'streamed' ? streamOf(eventsOf(message)) : documentOf(message);
}

/** Asks, answers every call, sends the message back as it came, and tells what Anthropic received then. */
async function roundTrip(
  way: keyof typeof turns,
  script: Parameters<typeof withAnthropic>[0],
  members: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {},
): Promise<Record<string, unknown>> {
  return withAnthropic(script, async (conversation) => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'How is the weather?' }];
    const request = {
      model: 'anthropic/claude-sonnet-4-5',
      messages,
      tools,
      reasoning_effort: 'low' as const,
      ...members,
    };
    const message = await turns[way](conversation, request);
    messages.push(message);
    for (const call of message.tool_calls ?? []) messages.push({ role: 'tool', tool_call_id: call.id, content: 'sun' });
    if (!message.tool_calls) messages.push({ role: 'user', content: 'And?' });
    conversation.answerWith(scriptOf(way, messageOf([{ type: 'text', text: 'Fine.' }])));
    await turns[way](conversation, request);
    const received = conversation.requests[1];
    if (received === undefined) throw new Error('nothing was received');
    return { ...received.json, beta: received.headers['anthropic-beta'] };
  });
}

function messageAt(sent: Record<string, unknown>, index: number): unknown {
  return Array.isArray(sent.messages) ? sent.messages[index] : undefined;
}

const signed = (name: string) => ({ type: 'thinking', thinking: `I think of ${name}.`, signature: `signed-${name}` });
const call = (id: string) => ({ type: 'tool_use', id, name: 'weather', input: { at: id } });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'sun' });
const said = (text: string) => ({ type: 'text', text });

describe('a message that a client sends back as it got it', () => {
  it.each(ways)('%s, has the same signed blocks before its text and calls', async (way) => {
    const content = [
      signed('one'),
      { type: 'redacted_thinking', data: 'hidden' },
      said('I look.'),
      call('a'),
      call('b'),
    ];
    const sent = await roundTrip(way, scriptOf(way, messageOf(content, { stop_reason: 'tool_use' })));
    expect(messageAt(sent, 1)).toEqual({ role: 'assistant', content });
    expect(messageAt(sent, 2)).toEqual({ role: 'user', content: [result('a'), result('b')] });
    expect(sent.thinking).toEqual({ type: 'enabled', budget_tokens: 4_096 });
  });

  it.each(ways)('%s, has thinking between texts and calls where it was', async (way) => {
    const content = [
      signed('one'),
      said('Zürich 🏔️ first. '),
      signed('two'),
      said('Then this.'),
      call('a'),
      signed('three'),
      { type: 'redacted_thinking', data: 'hidden' },
      call('b'),
      call('c'),
    ];
    const sent = await roundTrip(way, scriptOf(way, messageOf(content, { stop_reason: 'tool_use' })));
    expect(messageAt(sent, 1)).toEqual({ role: 'assistant', content });
  });

  it.each(ways)('%s, has thinking that shows no text', async (way) => {
    const content = [{ type: 'thinking', thinking: '', signature: 'signed-unseen' }, call('a')];
    const sent = await roundTrip(way, scriptOf(way, messageOf(content, { stop_reason: 'tool_use' })));
    expect(messageAt(sent, 1)).toEqual({ role: 'assistant', content });
  });

  it.each(ways)('%s, has the blocks of Anthropic’s own tools between thinking, and a compaction', async (way) => {
    const content = [
      { type: 'compaction', content: 'Before: weather.' },
      signed('one'),
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [{ type: 'web_search_result', url: 'u' }] },
      signed('two'),
      said('Found.'),
      call('a'),
    ];
    const sent = await roundTrip(way, scriptOf(way, messageOf(content, { stop_reason: 'tool_use' })));
    expect(messageAt(sent, 1)).toEqual({ role: 'assistant', content });
    expect(sent.beta).toBe('compact-2026-01-12');
  });

  it('is a recorded one', async () => {
    const body = recording('anthropic/anthropic-claude-opus-5-reasoning-high.1.json');
    const { content } = JSON.parse(body);
    const sent = await roundTrip('unstreamed', replayDocument(body), { model: 'anthropic/claude-opus-5' });
    expect(messageAt(sent, 1)).toEqual({ role: 'assistant', content });
    expect(content[0].signature).not.toBe('');
    expect(sent.thinking).toEqual({ type: 'adaptive', display: 'summarized' });
  });

  it('is a recorded stream with a compaction', async () => {
    const body = recording('anthropic/anthropic-compaction.1.chunks.txt');
    const sent = await roundTrip('streamed', replayStream(body));
    expect(messageAt(sent, 1)).toMatchObject({
      content: [{ type: 'compaction', content: expect.stringMatching(/\w{3}/) }, { type: 'text' }],
    });
  });

  it.each(['claude-fable-5-1', 'claude-opus-5-5', 'claude-sonnet-5-5'])(
    'may have another beginning by then: %s is asked to leave thinking out that no longer fits',
    async (model) => {
      const content = [signed('one'), call('a')];
      const sent = await roundTrip('unstreamed', documentOf(messageOf(content, { stop_reason: 'tool_use' })), {
        model: `anthropic/${model}`,
      });
      expect(sent.thinking).toMatchObject({ block_binding: { prefix_mismatch_behavior: 'drop_block' } });
      expect(sent.beta).toBe('thinking-binding-controls-2026-08-01');
    },
  );
});

describe('a tool round trip whose first message lacks its thinking', () => {
  const toolCall = (id: string) => ({ id, type: 'function', function: { name: 'weather', arguments: '{}' } });
  const details = [{ type: 'reasoning.text', format: 'anthropic-claude-v1', text: 'Hm.', signature: 's' }];
  const user = { role: 'user', content: 'Weather?' };
  const asked = (id: string, more = {}) => ({ role: 'assistant', tool_calls: [toolCall(id)], ...more });
  const answered = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'sun' });
  const effort = { reasoning_effort: 'medium', tools };

  it('goes on without thinking where the model thinks by a budget, and the caller is told', () => {
    const messages = [user, asked('a'), answered('a')];
    const { sent, dropped } = translated({ ...effort, messages });
    expect(sent).not.toHaveProperty('thinking');
    expect(dropped).toEqual(['reasoning_effort']);
    expect(() => translated({ ...effort, messages }, { parameters: 'strict' })).toThrow(
      expect.objectContaining({ status: 400, param: 'reasoning_effort' }),
    );
  });

  it.each([
    ['signed by another provider', [{ ...details[0], format: 'google-gemini-v1' }]],
    ['not signed', [{ ...details[0], signature: undefined }]],
    ['nothing that can be read', [null, 'x', { type: 'reasoning.text' }]],
  ])('has none where what comes back is %s', (_what, reasoningDetails) => {
    const messages = [user, asked('a', { reasoning_details: reasoningDetails }), answered('a')];
    expect(translated({ ...effort, messages }).dropped).toEqual(['reasoning_effort']);
  });

  it.each([
    [
      'its first message has it, and a later one not',
      [user, asked('a', { reasoning_details: details }), answered('a'), asked('b'), answered('b')],
    ],
    ['the round trip is over', [user, asked('a'), answered('a'), { role: 'assistant', content: 'Sun.' }, user]],
    [
      'the user has said something since',
      [
        user,
        asked('a'),
        answered('a'),
        { role: 'assistant', content: 'Sun.' },
        user,
        asked('b', { reasoning_details: details }),
        answered('b'),
      ],
    ],
  ])('thinks on where %s', (_why, messages) => {
    const { sent, dropped } = translated({ ...effort, messages });
    expect(sent.thinking).toMatchObject({ type: 'enabled' });
    expect(dropped).toEqual([]);
  });

  it('thinks on where the model decides by itself, which Anthropic takes', () => {
    const messages = [user, asked('a'), answered('a')];
    const { sent, dropped } = translated({ ...effort, messages }, { model: 'claude-opus-4-6' });
    expect(sent.thinking).toMatchObject({ type: 'adaptive' });
    expect(dropped).toEqual([]);
  });
});
