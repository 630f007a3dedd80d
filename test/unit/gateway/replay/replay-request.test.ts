import { describe, expect, it } from 'vitest';
import type { ProtocolName } from '../../../../src/protocols/canonical/protocol.ts';
import { MAX_REPLAY_BYTES, replayRequest } from '../../../../src/gateway/replay/replay-request.ts';

const png = '[media:image/png; 3000 bytes; sha256:ab]';
const call = { name: 'weather', arguments: '{"city":"Oslo"}' };
const schema = { type: 'object', properties: { city: { type: 'string' } } };
const tools = [{ type: 'function', function: { name: 'weather', parameters: schema } }];

function replayed(protocol: ProtocolName, body: unknown) {
  return replayRequest({ protocol, body, model: 'openai/gpt-5.5' });
}

/** What each protocol says of the same conversation. */
const bodies: Readonly<Record<Exclude<ProtocolName, 'completions'>, object>> = {
  'chat-completions': {
    model: 'm',
    stream: true,
    stream_options: { include_usage: true },
    temperature: 0.5,
    max_completion_tokens: 100,
    tools,
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: png } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: call }] },
      { role: 'tool', tool_call_id: 'c1', content: 'rain' },
    ],
  },
  responses: {
    model: 'm',
    instructions: 'Be brief.',
    temperature: 0.5,
    max_output_tokens: 100,
    tools: [{ type: 'function', name: 'weather', parameters: schema }],
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look' },
          { type: 'input_image', image_url: png },
        ],
      },
      { type: 'function_call', call_id: 'c1', ...call },
      { type: 'function_call_output', call_id: 'c1', output: 'rain' },
    ],
  },
  messages: {
    model: 'm',
    system: 'Be brief.',
    temperature: 0.5,
    max_tokens: 100,
    tools: [{ name: 'weather', input_schema: schema }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Oslo' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'rain' }] },
    ],
  },
  gemini: {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    generationConfig: { temperature: 0.5, maxOutputTokens: 100 },
    tools: [{ functionDeclarations: [{ name: 'weather', parameters: schema }] }],
    contents: [
      { role: 'user', parts: [{ text: 'Look' }, { inlineData: { mimeType: 'image/png', data: png } }] },
      { role: 'model', parts: [{ functionCall: { name: 'weather', args: { city: 'Oslo' } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'weather', response: { output: 'rain' } } }] },
    ],
  },
};

describe('a logged request', () => {
  it.each(Object.entries(bodies) as [keyof typeof bodies, object][])(
    'of %s becomes a chat with its system prompt, tools, turns and parameters',
    (protocol, body) => {
      const { messages, parameters, dropped } = replayed(protocol, body);
      expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
      const [system, user, assistant, tool] = messages;
      expect(JSON.stringify(system)).toContain('Be brief.');
      expect(JSON.stringify(user)).toContain('Look');
      expect(JSON.stringify(user)).toContain(png);
      expect(JSON.stringify(user)).not.toContain('image_url');
      expect(assistant).toMatchObject({ tool_calls: [{ type: 'function', function: { name: 'weather' } }] });
      expect(JSON.stringify(tool)).toContain('rain');
      expect(parameters).toMatchObject({
        temperature: 0.5,
        max_completion_tokens: 100,
        tools: [{ type: 'function', function: { name: 'weather' } }],
      });
      expect(Object.keys(parameters)).not.toContain('stream');
      expect(dropped).toHaveLength(1);
      expect(dropped[0]).toMatch(/(?:content|parts)\[1\]$/);
    },
  );

  it('of completions becomes one message, unless it has several prompts or tokens', () => {
    expect(replayed('completions', { model: 'm', prompt: 'Once', max_tokens: 5, echo: true })).toMatchObject({
      messages: [{ role: 'user', content: 'Once' }],
      parameters: { max_completion_tokens: 5 },
    });
    expect(() => replayed('completions', { model: 'm', prompt: ['a', 'b'] })).toThrow(/prompt.*2 texts/);
    expect(() => replayed('completions', { model: 'm', prompt: [1, 2] })).toThrow(/prompt/);
  });

  it('names what a chat cannot carry by the names of its protocol', () => {
    const messages = { ...bodies.messages, top_k: 5, container: 'c' };
    expect(replayed('messages', messages).dropped).toEqual(expect.arrayContaining(['top_k', 'container']));
    const chat = { ...bodies['chat-completions'], n: 3, store: true, user: 'jane' };
    expect(replayed('chat-completions', chat).dropped).toEqual(expect.arrayContaining(['n', 'store', 'user']));
    expect(replayed('chat-completions', { ...bodies['chat-completions'], n: 1, store: false }).dropped).toHaveLength(1);
  });

  it('of responses is opened without the earlier turns, references and encrypted reasoning', () => {
    const { messages, dropped } = replayed('responses', {
      model: 'm',
      previous_response_id: 'resp_1',
      input: [
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sluice-reasoning-2.changed' },
        { type: 'item_reference', id: 'msg_1' },
        { type: 'compaction', id: 'cmp_1', encrypted_content: '[redacted:secret]' },
        { role: 'user', content: 'And now?' },
      ],
    });
    expect(messages).toEqual([{ role: 'user', content: 'And now?' }]);
    expect(dropped).toEqual(['previous_response_id', 'input[0]', 'input[1]', 'input[2]']);
  });

  it('of responses that was converted for its provider is opened as that chat', () => {
    const chat = bodies['chat-completions'];
    expect(replayed('responses', chat).messages).toEqual(replayed('chat-completions', chat).messages);
  });

  it('loses the reasoning that a provider signed', () => {
    const { messages, dropped } = replayed('messages', {
      model: 'm',
      max_tokens: 10,
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
            { type: 'text', text: 'Hello' },
          ],
        },
        { role: 'user', content: 'Bye' },
      ],
    });
    expect(JSON.stringify(messages)).not.toContain('Hm');
    expect(dropped).toContain('messages[1].reasoning_details');
  });

  it('keeps data of tools that looks like media', () => {
    const args = JSON.stringify({ data: png });
    const { messages, dropped } = replayed('messages', {
      model: 'm',
      max_tokens: 10,
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'save', input: { data: png } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'saved' }] },
      ],
    });
    expect(JSON.stringify(messages)).toContain(JSON.stringify(args).slice(1, -1));
    expect(dropped).toEqual([]);
  });

  it('is refused with the reason where it cannot be converted', () => {
    expect(() => replayed('gemini', { ...bodies.gemini, cachedContent: 'cachedContents/1' })).toThrow(/cachedContent/);
    expect(() => replayed('chat-completions', { model: 'm', messages: 'no list' })).toThrow(/messages/);
    expect(() => replayed('responses', { omitted: { reason: 'too_long', bytes: 5_000_000 } })).toThrow();
    const long = { model: 'm', messages: [{ role: 'user', content: 'a'.repeat(MAX_REPLAY_BYTES) }] };
    expect(() => replayed('chat-completions', long)).toThrow(/900000 bytes/);
  });
});
