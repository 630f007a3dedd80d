import { describe, expect, it } from 'vitest';
import { isObject, listOf } from '../../../../src/protocols/canonical/json-members.ts';
import type { StreamPart } from '../../../../src/protocols/canonical/stream-part.ts';
import { decodeChatRequest } from '../../../../src/protocols/chat-completions/decode-request.ts';
import { decodeResponsesRequest } from '../../../../src/protocols/responses/decode-request.ts';
import {
  generationRequest,
  outputForm,
} from '../../../../src/protocols/responses/decode-request/generation-request.ts';
import { flatName } from '../../../../src/protocols/responses/flat-name.ts';
import { ResponsesStreamEncoder } from '../../../../src/protocols/responses/encode-stream.ts';
import { reader, seal } from '../../../harness/content-seal.ts';

const model = 'm';

function decoded(body: object) {
  const request = decodeResponsesRequest({ model, ...body });
  const { body: chat, dropped } = generationRequest(request, reader);
  return { request, chat: decodeChatRequest(chat), dropped };
}

/** The output of a model that calls a function in pieces. */
function calling(name: string, input: string): StreamPart[] {
  const call = { choice: 0, call: 0, isCustom: false } as const;
  return [
    { type: 'start', id: 'x', model, created: 1 },
    { type: 'tool-call', ...call, id: 'call_1', name, extraContent: undefined },
    { type: 'tool-input', ...call, text: input.slice(0, 5) },
    { type: 'tool-input', ...call, text: input.slice(5) },
    { type: 'finish', choice: 0, reason: 'tool_calls' },
    { type: 'end' },
  ];
}

function encoderOf(body: object) {
  const nameItem = (prefix: string, index: number) => `${prefix}_${index}`;
  return new ResponsesStreamEncoder({ id: 'resp_1' }, nameItem, outputForm(decoded(body).request, seal));
}

function encoded(body: object, parts: readonly StreamPart[]) {
  const encoder = encoderOf(body);
  encoder.encode(parts);
  const response = encoder.end();
  const events = encoder.take().map(({ json }) => JSON.parse(json));
  return { output: listOf(response.output).filter(isObject), events };
}

const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: "a"' };
const patch = { type: 'update_file', path: 'a.txt', diff: '+a' };

/** Tools of a client, the function that stands for each, what a model sends it, and the item that the client receives. */
const tools: readonly (readonly [what: string, tool: object, name: string, input: object, item: object])[] = [
  [
    'a function',
    { type: 'function', name: 'look', parameters: { type: 'object' } },
    'look',
    { at: 'x' },
    { type: 'function_call', name: 'look', arguments: '{"at":"x"}' },
  ],
  [
    'a custom tool',
    { type: 'custom', name: 'exec', format: grammar },
    'exec',
    { input: 'ls "é"\n' },
    { type: 'custom_tool_call', name: 'exec', input: 'ls "é"\n' },
  ],
  [
    'a function of a namespace',
    {
      type: 'namespace',
      name: 'mcp__docs',
      tools: [{ type: 'function', name: 'search', defer_loading: true, parameters: { type: 'object' } }],
    },
    flatName('mcp__docs', 'search'),
    { q: 'x' },
    { type: 'function_call', namespace: 'mcp__docs', name: 'search', arguments: '{"q":"x"}' },
  ],
  [
    'a custom tool of a namespace',
    { type: 'namespace', name: 'code', tools: [{ type: 'custom', name: 'run' }] },
    flatName('code', 'run'),
    { input: 'x' },
    { type: 'custom_tool_call', namespace: 'code', name: 'run', input: 'x' },
  ],
  [
    'a search of tools',
    { type: 'tool_search', execution: 'client', parameters: { type: 'object' } },
    'tool_search',
    { query: 'x' },
    { type: 'tool_search_call', execution: 'client', arguments: { query: 'x' } },
  ],
  [
    'the local shell',
    { type: 'local_shell' },
    'local_shell',
    { command: ['ls', '-l'] },
    { type: 'local_shell_call', action: { type: 'exec', env: {}, command: ['ls', '-l'] } },
  ],
  [
    'the shell',
    { type: 'shell' },
    'shell',
    { commands: ['ls'], timeout_ms: 5 },
    { type: 'shell_call', action: { commands: ['ls'], timeout_ms: 5, max_output_length: null } },
  ],
  ['patches', { type: 'apply_patch' }, 'apply_patch', patch, { type: 'apply_patch_call', operation: patch }],
];

describe('a tool that the client runs', () => {
  it.each(tools)('%s is declared as a function', (_what, tool, name) => {
    const { chat } = decoded({ input: 'x', tools: [tool] });
    expect(chat.tools?.map((each) => (each.type === 'function' ? each.function.name : null))).toEqual([name]);
  });

  it.each(tools)('%s is called as the client declared it', (_what, tool, name, input, item) => {
    const body = { input: 'x', tools: [tool] };
    const { output, events } = encoded(body, calling(name, JSON.stringify(input)));
    expect(output).toHaveLength(1);
    expect(output[0]).toMatchObject({ ...item, call_id: 'call_1', status: 'completed' });
    const done = events.find(({ type }) => type === 'response.output_item.done');
    expect(done.item).toEqual(output[0]);
    const deltas = events.filter(({ type }) => type.endsWith('.delta')).map(({ delta }) => delta);
    const whole =
      'arguments' in item && typeof item.arguments === 'string' ? item.arguments : 'input' in item ? item.input : '';
    expect(deltas.join('')).toBe(whole);
  });

  it.each(tools)('%s reaches the model again as the call that it made', (_what, tool, name, input, item) => {
    const sent = [
      { role: 'user', content: 'x' },
      { id: 'item_1', call_id: 'call_1', ...item },
    ];
    const { chat, dropped } = decoded({ input: sent, tools: [tool] });
    const [, assistant] = chat.messages;
    const calls = assistant?.role === 'assistant' ? (assistant.tool_calls ?? []) : [];
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({ id: 'call_1', function: { name } });
    const called = calls[0]?.type === 'function' ? JSON.parse(calls[0].function.arguments) : null;
    expect(called).toMatchObject(input);
    expect(dropped.filter((path) => path.startsWith('input'))).toEqual([]);
  });

  it('has the grammar of its input in its description, and is named as dropped', () => {
    const { chat, dropped } = decoded({
      input: 'x',
      tools: [{ type: 'custom', name: 'exec', description: 'Runs.', format: grammar }],
    });
    expect(dropped).toEqual(['tools[0].format']);
    expect(chat.tools?.[0]).toMatchObject({
      function: { description: 'Runs.\n\nThe input has this grammar (lark):\nstart: "a"' },
    });
  });

  it('has a name within the limit of chats, and another for each tool', () => {
    const long = (name: string) => ({ type: 'namespace', name: 'n'.repeat(60), tools: [{ type: 'function', name }] });
    const { chat } = decoded({
      input: 'x',
      tools: [long('one'), long('two'), { type: 'namespace', name: 'a.b', tools: [{ type: 'function', name: 'c d' }] }],
    });
    const names = chat.tools?.map((tool) => (tool.type === 'function' ? tool.function.name : '')) ?? [];
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    const { output } = encoded({ input: 'x', tools: [long('one'), long('two')] }, calling(names[1] ?? '', '{}'));
    expect(output[0]).toMatchObject({ namespace: 'n'.repeat(60), name: 'two' });
  });

  it('may be declared by an item', () => {
    const tool = { type: 'function', name: 'late', parameters: { type: 'object' } };
    const { chat } = decoded({
      input: [
        { type: 'additional_tools', role: 'developer', tools: [tool] },
        { role: 'user', content: 'x' },
        { type: 'tool_search_call', call_id: 'c', arguments: { query: 'more' }, execution: 'client' },
        {
          type: 'tool_search_output',
          call_id: 'c',
          tools: [{ type: 'namespace', name: 'ns', tools: [{ ...tool, name: 'found' }] }, tool],
        },
      ],
    });
    expect(chat.tools?.map((each) => (each.type === 'function' ? each.function.name : ''))).toEqual([
      'late',
      flatName('ns', 'found'),
    ]);
    expect(chat.messages.at(-1)).toEqual({
      role: 'tool',
      tool_call_id: 'c',
      content: JSON.stringify({ tools: [flatName('ns', 'found'), 'late'] }),
    });
  });
});

describe('two tools of one name', () => {
  const declaration = { type: 'function', parameters: { type: 'object' } };

  it('in different namespaces are two functions', () => {
    const { chat, dropped } = decoded({
      input: 'x',
      tools: [
        { type: 'namespace', name: 'a', tools: [{ ...declaration, name: 'b__c' }] },
        { type: 'namespace', name: 'a__b', tools: [{ ...declaration, name: 'c' }] },
        { ...declaration, name: 'a__b__c' },
      ],
    });
    expect(new Set(chat.tools?.map((tool) => (tool.type === 'function' ? tool.function.name : ''))).size).toBe(3);
    expect(dropped).toEqual([]);
  });

  it('of which one cannot be told from the other: the second is named as dropped', () => {
    const { chat, dropped } = decoded({
      input: 'x',
      tools: [{ ...declaration, name: 'shell' }, { type: 'shell' }, { ...declaration, name: 'shell' }],
    });
    expect(chat.tools).toHaveLength(1);
    expect(dropped).toEqual(['tools[1]']);
  });
});

describe('a choice of tool', () => {
  it.each(['shell', 'apply_patch'])('may be %s', (type) => {
    const { chat } = decoded({ input: 'x', tools: [{ type }], tool_choice: { type } });
    expect(chat.tool_choice).toEqual({ type: 'function', function: { name: type } });
  });
});

describe('an item that is sent again', () => {
  it.each([
    ['tool_search_call', { call_id: null, arguments: { query: 'x' }, execution: 'server' }],
    ['program', { id: 'prog_1', code: 'x' }],
    ['program_output', { id: 'po_1', program_id: 'prog_1', output: 'x' }],
  ])('%s of a provider is named as dropped', (type, members) => {
    const { chat, dropped } = decoded({
      input: [
        { type, ...members },
        { role: 'user', content: 'x' },
      ],
    });
    expect(chat.messages).toHaveLength(1);
    expect(dropped).toEqual(['input[0]']);
  });

  it.each([
    [
      { type: 'local_shell_call', call_id: 'c', action: { type: 'exec', command: ['ls'], env: {} } },
      { command: ['ls'] },
    ],
    [
      { type: 'shell_call', call_id: 'c', action: { commands: ['ls'], timeout_ms: null, max_output_length: null } },
      { commands: ['ls'] },
    ],
  ])('has the input that the model wrote: $type', (item, input) => {
    const { chat } = decoded({ input: [item, { type: `${item.type}_output`, id: 'c', call_id: 'c', output: 'a' }] });
    expect(chat.messages[0]).toMatchObject({ tool_calls: [{ function: { arguments: JSON.stringify(input) } }] });
  });

  it.each([
    ['local_shell_call_output', { id: 'call_1', output: 'a.txt' }, 'a.txt'],
    [
      'shell_call_output',
      { call_id: 'call_1', output: [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } }] },
      '[{"stdout":"a","stderr":"","outcome":{"type":"exit","exit_code":0}}]',
    ],
    [
      'apply_patch_call_output',
      { call_id: 'call_1', status: 'failed', output: 'No such file.' },
      'failed\nNo such file.',
    ],
    ['custom_tool_call_output', { call_id: 'call_1', output: 'done' }, 'done'],
  ])('%s is the result of its call', (type, members, content) => {
    const { chat } = decoded({
      input: [
        { role: 'user', content: 'x' },
        { type, ...members },
      ],
    });
    expect(chat.messages.at(-1)).toEqual({ role: 'tool', tool_call_id: 'call_1', content });
  });

  it.each([
    'web_search_call',
    'file_search_call',
    'code_interpreter_call',
    'computer_call',
    'mcp_list_tools',
    'mcp_call',
  ])('%s of a tool that a provider ran is named as dropped', (type) => {
    const { chat, dropped } = decoded({
      input: [
        { role: 'user', content: 'x' },
        { type, id: 'i' },
      ],
    });
    expect(dropped).toEqual(['input[1]']);
    expect(chat.messages).toEqual([{ role: 'user', content: 'x' }]);
  });

  it('has its images after all results of its turn', () => {
    const image = { type: 'input_image', image_url: 'data:image/png;base64,AAAA' };
    const output = (call_id: string, parts: object[]) => ({ type: 'function_call_output', call_id, output: parts });
    const call = (call_id: string) => ({ type: 'function_call', call_id, name: 'look', arguments: '{}' });
    const { chat } = decoded({
      input: [
        { role: 'user', content: 'x' },
        call('a'),
        call('b'),
        output('a', [{ type: 'input_text', text: 'A' }, image]),
        output('b', [image]),
        { role: 'user', content: 'y' },
      ],
    });
    expect(chat.messages.slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'A' }] },
      { role: 'tool', tool_call_id: 'b', content: '' },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: image.image_url } },
          { type: 'image_url', image_url: { url: image.image_url } },
        ],
      },
      { role: 'user', content: 'y' },
    ]);
  });
});

describe('a compaction', () => {
  const trigger = {
    input: [{ role: 'user', content: 'Build it.' }, { type: 'compaction_trigger' }],
    tools: [{ type: 'local_shell' }],
  };
  const summary: StreamPart[] = [
    { type: 'start', id: 'x', model, created: 1 },
    { type: 'text', choice: 0, text: 'The user wants ', logprobs: [] },
    { type: 'text', choice: 0, text: 'it built. é', logprobs: [] },
    { type: 'finish', choice: 0, reason: 'stop' },
    { type: 'end' },
  ];

  it('asks the model for a summary, without what belongs to the next answer', () => {
    const format = { type: 'json_schema', name: 'f', schema: { type: 'object' } };
    const { chat } = decoded({
      ...trigger,
      parallel_tool_calls: true,
      tool_choice: 'required',
      text: { format },
      top_logprobs: 2,
    });
    for (const name of ['tools', 'parallel_tool_calls', 'tool_choice', 'response_format', 'logprobs', 'top_logprobs'])
      expect(chat).not.toHaveProperty(name);
    expect(chat.messages[0]).toEqual({ role: 'user', content: 'Build it.' });
    expect(chat.messages[1]).toMatchObject({
      role: 'user',
      content: expect.stringContaining('Summarise the conversation'),
    });
  });

  it('is exactly one item, which stands for the conversation when it is sent again', () => {
    const { output, events } = encoded(trigger, summary);
    expect(output).toEqual([{ id: 'cmp_0', type: 'compaction', encrypted_content: expect.any(String) }]);
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.output_item.done',
      'response.completed',
    ]);
    const { chat } = decoded({ input: [...output, { role: 'user', content: 'Go on.' }] });
    expect(chat.messages).toEqual([
      { role: 'user', content: expect.stringMatching(/summarised:\n\nThe user wants it built. é$/) },
      { role: 'user', content: 'Go on.' },
    ]);
  });

  it.each<[string, StreamPart[]]>([
    ['refuses', [{ type: 'refusal', choice: 0, text: 'No.' }]],
    ['writes nothing', []],
    ['writes only spaces', [{ type: 'text', choice: 0, text: ' \n', logprobs: [] }]],
  ])('fails if the model %s: it would replace the conversation by nothing', (_what, parts) => {
    const stream: StreamPart[] = [
      ...summary.slice(0, 1),
      ...parts,
      { type: 'finish', choice: 0, reason: 'stop' },
      { type: 'end' },
    ];
    const error = { code: 'server_error', message: expect.stringContaining('wrote no summary') };
    const failed = { status: 'failed', output: [], error };
    expect(encoded(trigger, stream).events.at(-1)).toMatchObject({ type: 'response.failed', response: failed });
    expect(encoderOf(trigger).document(stream)).toMatchObject(failed);
  });

  it('of OpenAI is named as dropped', () => {
    const { dropped } = decoded({
      input: [
        { type: 'compaction', encrypted_content: 'gAAAA' },
        { role: 'user', content: 'x' },
      ],
    });
    expect(dropped).toEqual(['input[0]']);
  });
});
