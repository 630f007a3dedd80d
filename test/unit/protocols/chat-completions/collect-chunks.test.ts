import { describe, expect, it } from 'vitest';
import { ChunkCollector } from '../../../../src/protocols/chat-completions/collect-chunks.ts';
import { completeDocument } from '../../../../src/protocols/chat-completions/complete-document.ts';
import { expectOpenAi } from '../../../harness/openai-schema.ts';

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' };

function collected(...chunks: readonly object[]): unknown {
  const collector = new ChunkCollector();
  for (const chunk of chunks) collector.add({ ...head, ...chunk });
  return collector.document();
}

/** A chunk with one choice. */
function delta(members: object, more: object = {}): object {
  return { choices: [{ index: 0, delta: members, logprobs: null, finish_reason: null, ...more }] };
}

describe('the chunks of a stream', () => {
  it('keep the id, the model and the time where the last one has empty ones', () => {
    const last = { id: '', model: '', created: 0, object: '', ...delta({}, { finish_reason: 'stop' }) };
    expect(collected(delta({ content: 'Hi' }), last)).toMatchObject({ ...head, object: 'chat.completion' });
  });

  it('may have hundreds of thousands of elements with an index', () => {
    const calls = Array.from({ length: 200_000 }, (_, index) => ({ index, id: `call_${index}` }));
    const document = collected(delta({ tool_calls: calls }), delta({ tool_calls: [{ index: 7, type: 'function' }] }));
    expect(document).toMatchObject({ choices: [{ message: { tool_calls: { length: 200_000 } } }] });
    expect(JSON.stringify(document)).toContain('{"id":"call_7","type":"function"}');
  });

  it('become the document of the same response, with the usage and members of the provider', () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    const document = collected(
      { ...delta({ role: 'assistant', content: '', refusal: null }), usage: null, obfuscation: 'abc' },
      { ...delta({ content: 'Hel' }), system_fingerprint: 'fp', service_tier: 'default' },
      { ...delta({ content: 'lo', reasoning_content: 'Th' }), system_fingerprint: null },
      delta({ reasoning_content: 'ink' }),
      delta({}, { finish_reason: 'stop' }),
      { choices: [], usage },
    );
    expect(document).toEqual({
      ...head,
      object: 'chat.completion',
      system_fingerprint: 'fp',
      service_tier: 'default',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello', refusal: null, reasoning_content: 'Think' },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage,
    });
    expectOpenAi('CreateChatCompletionResponse', document);
  });

  it('keep all choices apart, in their order', () => {
    const said = (index: number, content: string): object => ({ choices: [{ index, delta: { content } }] });
    const ended = (index: number, reason: string): object => ({
      choices: [{ index, delta: {}, finish_reason: reason }],
    });
    expect(
      collected(said(1, 'b'), said(0, 'a'), said(1, 'B'), said(0, 'A'), ended(0, 'stop'), ended(1, 'length')),
    ).toMatchObject({
      choices: [
        { index: 0, message: { content: 'aA' }, finish_reason: 'stop' },
        { index: 1, message: { content: 'bB' }, finish_reason: 'length' },
      ],
    });
  });

  it('join tool calls by their index, whose text may come in turns', () => {
    const call = (index: number, members: object): object => delta({ tool_calls: [{ index, ...members }] });
    const document = collected(
      delta({ role: 'assistant', content: '' }),
      call(0, { id: 'a', type: 'function', function: { name: 'one', arguments: '' } }),
      call(1, { id: 'b', type: 'custom', custom: { name: 'two', input: '' } }),
      call(0, { function: { arguments: '{"x"' } }),
      call(1, { custom: { input: 'free ' } }),
      call(0, { id: 'a', function: { name: 'one', arguments: ':1}' } }),
      call(1, { custom: { input: 'text' } }),
      delta({}, { finish_reason: 'tool_calls' }),
    );
    expect(document).toMatchObject({
      choices: [
        {
          message: {
            content: null,
            tool_calls: [
              { id: 'a', type: 'function', function: { name: 'one', arguments: '{"x":1}' } },
              { id: 'b', type: 'custom', custom: { name: 'two', input: 'free text' } },
            ],
          },
        },
      ],
    });
    expect(JSON.stringify(document)).not.toContain('"index":1');
  });

  it('keep calls without an index, and several of one delta', () => {
    const calls = [
      { id: 'a', type: 'function', function: { name: 'one', arguments: '{}' } },
      { id: 'b', type: 'function', function: { name: 'two', arguments: '{}' } },
    ];
    expect(collected(delta({ tool_calls: calls }))).toMatchObject({ choices: [{ message: { tool_calls: calls } }] });
  });

  it('keep a refusal, a function call, citations and sound', () => {
    const cited = (url: string): object => ({ type: 'url_citation', url_citation: { url } });
    expect(
      collected(
        delta({ role: 'assistant', content: '', refusal: 'I can' }),
        delta({ refusal: 'not' }),
        delta({ function_call: { name: 'f', arguments: '{' } }),
        delta({ function_call: { arguments: '}' } }),
        delta({ annotations: [cited('a')] }),
        delta({ annotations: [cited('b')] }),
        delta({ audio: { id: 'audio_1', transcript: 'Hel' } }),
        delta({ audio: { transcript: 'lo', expires_at: 5 } }),
      ),
    ).toMatchObject({
      choices: [
        {
          message: {
            content: null,
            refusal: 'I cannot',
            function_call: { name: 'f', arguments: '{}' },
            annotations: [cited('a'), cited('b')],
            audio: { id: 'audio_1', transcript: 'Hello', expires_at: 5 },
          },
        },
      ],
    });
  });

  it('join log probabilities', () => {
    const token = (text: string): object => ({ token: text, logprob: -1, bytes: null, top_logprobs: [] });
    const probable = (text: string): object =>
      delta({ content: text }, { logprobs: { content: [token(text)], refusal: null } });
    expect(collected(probable('a'), probable('b'), delta({}, { finish_reason: 'stop' }))).toMatchObject({
      choices: [{ logprobs: { content: [token('a'), token('b')], refusal: null } }],
    });
  });

  it('join details of reasoning by their index and keep signatures whole', () => {
    const detail = (index: number, members: object): object => delta({ reasoning_details: [{ index, ...members }] });
    expect(
      collected(
        detail(0, { type: 'reasoning.text', text: 'Fir' }),
        detail(0, { type: 'reasoning.text', text: 'st', signature: 'sig' }),
        detail(1, { type: 'reasoning.encrypted', data: 'xyz' }),
      ),
    ).toMatchObject({
      choices: [
        {
          message: {
            reasoning_details: [
              { index: 0, type: 'reasoning.text', text: 'First', signature: 'sig' },
              { index: 1, type: 'reasoning.encrypted', data: 'xyz' },
            ],
          },
        },
      ],
    });
  });

  it('may have a member that is called __proto__', () => {
    const chunk: object = JSON.parse('{"choices":[{"index":0,"delta":{"content":"x","__proto__":{"polluted":"a"}}}]}');
    const document = collected(chunk, chunk);
    expect(JSON.stringify(document)).toContain('"__proto__":{"polluted":"aa"}');
    expect('polluted' in {}).toBe(false);
  });

  it('are no document without a choice', () => {
    expect(new ChunkCollector().document()).toBeNull();
    const collector = new ChunkCollector();
    for (const chunk of [null, [], 'x', { error: { message: 'no' } }, { choices: [{ index: 'a' }, 1] }])
      collector.add(chunk);
    expect(collector.document()).toBeNull();
  });
});

describe('the document of a provider', () => {
  it('is completed by what OpenAI’s document requires', () => {
    const sparse = { id: 'x', choices: [{ message: { content: 'Hi' } }, { index: 1, logprobs: { content: [] } }] };
    const document = completeDocument(sparse, 'asked');
    expectOpenAi('CreateChatCompletionResponse', document);
    expect(document).toMatchObject({
      id: 'x',
      model: 'asked',
      choices: [
        { index: 0, message: { content: 'Hi', refusal: null }, finish_reason: 'stop' },
        { index: 1, message: { content: null }, logprobs: { content: [], refusal: null } },
      ],
    });
  });

  it('is otherwise as it came', () => {
    const whole = {
      id: 'x',
      object: 'chat.completion',
      created: 5,
      model: 'm',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hi', refusal: null, reasoning: 'r' },
          logprobs: null,
          finish_reason: 'length',
        },
      ],
      x_groq: { id: 'y' },
    };
    expect(completeDocument(whole, 'asked')).toEqual(whole);
    for (const none of [null, [], 'x', {}, { choices: 'x' }]) expect(completeDocument(none, 'm')).toBeNull();
  });
});
