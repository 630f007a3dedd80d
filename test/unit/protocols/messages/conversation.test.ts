import { describe, expect, it } from 'vitest';
import { translated } from './translated.ts';

const image = 'data:image/png;base64,iVBORw0KGgo=';
const pdf = 'data:application/pdf;base64,JVBERi0xLjc=';
const text = (content: string, more = {}): unknown => ({ type: 'text', text: content, ...more });

/** Anthropic's messages for OpenAI's. */
function messages(given: readonly unknown[]): unknown {
  return translated({ messages: given }).sent.messages;
}

/** What the blocks of one user message with these parts are. */
function blocks(...parts: readonly unknown[]): unknown {
  const sent = messages([{ role: 'user', content: parts }]);
  return Array.isArray(sent) ? sent[0].content : null;
}

const call = (id: string, args: string): unknown => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: args },
});

describe('instructions', () => {
  it('at any position become the system prompt', () => {
    const { sent } = translated({
      messages: [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
        { role: 'system', content: [{ type: 'text', text: 'Be kind.' }] },
      ],
    });
    expect(sent.system).toEqual([text('Be brief.'), text('Be kind.')]);
    expect(sent.messages).toEqual([{ role: 'user', content: [text('Hello')] }]);
  });

  it('become the user message if there are no other messages', () => {
    const { sent } = translated({ messages: [{ role: 'system', content: 'Greet me.' }] });
    expect(sent.messages).toEqual([{ role: 'user', content: [text('Greet me.')] }]);
    expect(sent).not.toHaveProperty('system');
  });
});

describe('a file of the user', () => {
  it('may be an image as a data: URL or a URL', () => {
    expect(
      blocks(
        { type: 'text', text: 'See' },
        { type: 'image_url', image_url: { url: image, detail: 'low' } },
        { type: 'image_url', image_url: { url: 'DATA:image/jpg;base64,/9j/' } },
        { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
      ),
    ).toEqual([
      text('See'),
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: '/9j/' } },
      { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
    ]);
  });

  it('may be a PDF, a text, or an uploaded file', () => {
    const note = Buffer.from('Grüezi').toString('base64');
    expect(
      blocks(
        { type: 'file', file: { file_data: pdf, filename: 'a.pdf' } },
        { type: 'file', file: { file_data: 'JVBERi0xLjc=' } },
        { type: 'file', file: { file_data: `data:text/markdown;charset=utf-8;base64,${note}` } },
        { type: 'file', file: { file_data: 'https://example.org/a.pdf' } },
      ),
    ).toEqual([
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjc=' },
        title: 'a.pdf',
      },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjc=' } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Grüezi' } },
      { type: 'document', source: { type: 'url', url: 'https://example.org/a.pdf' } },
    ]);
  });

  it('may be a file that was uploaded to Anthropic, with the beta header', () => {
    const { sent, betas } = translated({
      messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file_1' } }] }],
    });
    expect(sent.messages).toEqual([
      { role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }] },
    ]);
    expect(betas).toEqual(['files-api-2025-04-14']);
  });

  it.each([
    ['input_audio', { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }, 'input_audio'],
    [
      'an image of another kind',
      { type: 'image_url', image_url: { url: 'data:image/bmp;base64,Qk0=' } },
      'image_url.url',
    ],
    [
      'a file of another kind',
      { type: 'file', file: { file_data: 'data:application/zip;base64,UEs=' } },
      'file.file_data',
    ],
    ['an image that is no base64', { type: 'image_url', image_url: { url: 'data:image/png,abc' } }, 'image_url.url'],
    ['a file that is no file', { type: 'file', file: { filename: 'a.pdf' } }, 'file'],
  ])('is rejected with its path if it is %s', (_what, part, member) => {
    expect(() => blocks({ type: 'text', text: 'Hear' }, part)).toThrow(
      expect.objectContaining({ status: 400, param: `messages[0].content[1].${member}` }),
    );
  });
});

describe('a conversation', () => {
  it('joins messages of one role in sequence', () => {
    expect(
      messages([
        { role: 'user', content: 'One' },
        { role: 'user', content: [{ type: 'text', text: 'two' }], name: 'Ann' },
        { role: 'assistant', content: 'Three' },
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }], refusal: 'never' },
        { role: 'user', content: 'Four' },
      ]),
    ).toEqual([
      { role: 'user', content: [text('One'), text('two')] },
      { role: 'assistant', content: [text('Three'), text('no'), text('never')] },
      { role: 'user', content: [text('Four')] },
    ]);
  });

  it('joins tool results before the next user message', () => {
    expect(
      messages([
        { role: 'user', content: 'Weather?' },
        { role: 'assistant', content: 'I look.', tool_calls: [call('toolu_1', '{"at":"Bern"}'), call('toolu_2', '')] },
        { role: 'tool', tool_call_id: 'toolu_1', content: 'sun' },
        { role: 'tool', tool_call_id: 'toolu_2', content: [{ type: 'text', text: 'rain' }] },
        { role: 'user', content: 'And?' },
      ]),
    ).toEqual([
      { role: 'user', content: [text('Weather?')] },
      {
        role: 'assistant',
        content: [
          text('I look.'),
          { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { at: 'Bern' } },
          { type: 'tool_use', id: 'toolu_2', name: 'weather', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: 'sun' },
          { type: 'tool_result', tool_use_id: 'toolu_2', content: [text('rain')] },
          text('And?'),
        ],
      },
    ]);
  });

  it('puts tool results first, and omits empty text of a result', () => {
    const sent = messages([
      { role: 'assistant', tool_calls: [call('a', '{}')] },
      { role: 'user', content: 'Wait' },
      { role: 'tool', tool_call_id: 'a', content: '' },
    ]);
    expect(sent).toMatchObject([{}, { content: [{ type: 'tool_result', tool_use_id: 'a' }, text('Wait')] }]);
  });

  it('may use the deprecated format of calls and results', () => {
    expect(
      messages([
        { role: 'user', content: 'Weather?' },
        { role: 'assistant', content: null, function_call: { name: 'weather', arguments: '{"at":"Bern"}' } },
        { role: 'function', name: 'weather', content: 'sun' },
      ]),
    ).toEqual([
      { role: 'user', content: [text('Weather?')] },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'function_call_1', name: 'weather', input: { at: 'Bern' } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'function_call_1', content: 'sun' }] },
    ]);
    expect(() => messages([{ role: 'function', name: 'weather', content: 'sun' }])).toThrow(
      expect.objectContaining({ status: 400, param: 'messages[0].name' }),
    );
  });

  it('wraps arguments that are not a JSON object, as Anthropic recommends', () => {
    const sent = messages([
      { role: 'assistant', tool_calls: [call('a', '{"at":"Be'), call('b', '[1]'), call('c', ' ')] },
      { role: 'tool', tool_call_id: 'a', content: 'That was no JSON.' },
    ]);
    expect(sent).toMatchObject([
      { content: [{ input: { INVALID_JSON: '{"at":"Be' } }, { input: { INVALID_JSON: '[1]' } }, { input: {} }] },
      {},
    ]);
  });

  it('gives calls of another provider distinct ids that Anthropic accepts', () => {
    const sent = messages([
      {
        role: 'assistant',
        tool_calls: [call('call:1', '{}'), call('call.1', '{}'), call('', '{}'), call('ok-1', '{}')],
      },
      { role: 'tool', tool_call_id: 'call.1', content: 'second' },
      { role: 'tool', tool_call_id: 'call:1', content: 'first' },
    ]);
    expect(sent).toMatchObject([
      { content: [{ id: 'call_call_1' }, { id: 'call_call_1_2' }, { id: 'call_' }, { id: 'ok-1' }] },
      { content: [{ tool_use_id: 'call_call_1_2' }, { tool_use_id: 'call_call_1' }] },
    ]);
  });

  it('accepts calls of custom tools from another provider', () => {
    const custom = { id: 'c', type: 'custom', custom: { name: 'run', input: 'print(1)' } };
    expect(messages([{ role: 'assistant', tool_calls: [custom] }])).toMatchObject([
      { content: [{ type: 'tool_use', id: 'c', name: 'run', input: { input: 'print(1)' } }] },
    ]);
  });

  it('omits blank texts, which Anthropic rejects, and trims a prefilled response', () => {
    expect(
      messages([
        { role: 'user', content: ' \n' },
        {
          role: 'user',
          content: [
            { type: 'text', text: '' },
            { type: 'text', text: 'Count.' },
          ],
        },
        { role: 'assistant', content: 'One, two, \n' },
      ]),
    ).toEqual([
      { role: 'user', content: [text('Count.')] },
      { role: 'assistant', content: [text('One, two,')] },
    ]);
    expect(() => messages([{ role: 'user', content: '' }])).toThrow(
      expect.objectContaining({ status: 400, param: 'messages' }),
    );
  });
});

describe('a cache breakpoint', () => {
  it('is set by OpenAI’s prompt_cache_breakpoint', () => {
    expect(
      blocks(
        { type: 'text', text: 'long', prompt_cache_breakpoint: { mode: 'explicit' } },
        { type: 'image_url', image_url: { url: image }, prompt_cache_breakpoint: { mode: 'explicit', ttl: '30m' } },
      ),
    ).toMatchObject([
      { cache_control: { type: 'ephemeral' } },
      { type: 'image', cache_control: { type: 'ephemeral', ttl: '1h' } },
    ]);
  });

  it('is set by Anthropic’s cache_control, on parts, messages, results and tools', () => {
    const mark = { cache_control: { type: 'ephemeral', ttl: '1h' } };
    const { sent } = translated({
      tools: [{ type: 'function', function: { name: 'weather' }, ...mark }],
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Rules.', ...mark }] },
        { role: 'user', content: 'Weather?', ...mark },
        { role: 'assistant', content: 'I look.', tool_calls: [call('a', '{}')], ...mark },
        { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'sun', ...mark }] },
      ],
    });
    expect(sent.system).toEqual([text('Rules.', mark)]);
    expect(sent.tools).toMatchObject([mark]);
    expect(sent.messages).toMatchObject([
      { content: [mark] },
      { content: [text('I look.'), { type: 'tool_use', ...mark }] },
      { content: [{ type: 'tool_result', ...mark }] },
    ]);
    expect(JSON.stringify(sent.messages).split('cache_control')).toHaveLength(4);
  });
});
