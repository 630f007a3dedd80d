import { describe, expect, it } from 'vitest';
import { bareItems } from '../../../../src/protocols/responses/decode-request/bare-items.ts';
import { namedObjects, obtainedObjects } from '../../../../src/protocols/responses/provider-objects.ts';

const file = 'file-6F2ksmvXxt4VdoqmHRw6kL';

/** As servers other than OpenAI's name their objects. */
const bare = 'my-own';

describe('the objects that a request names', () => {
  it.each<[string, object, string[]]>([
    ['a previous response', { previous_response_id: 'resp_1' }, ['previous_response_id']],
    ['a conversation', { conversation: 'conv_689667905b048191' }, ['conversation']],
    ['a conversation by its id', { conversation: { id: 'conv_689667905b048191' } }, ['conversation.id']],
    ['a stored prompt', { prompt: { id: 'pmpt_abc12345', variables: { a: 'file-123456789' } } }, ['prompt.id']],
    ['an item', { input: [{ type: 'item_reference', id: 'msg_1' }] }, ['input[0].id']],
    ['an item without a type', { input: [{ id: 'msg_1' }] }, ['input[0].id']],
    ['an item without a type in a conversation', { items: [{ id: 'rs_1', type: null }] }, ['items[0].id']],
    [
      'files and images',
      {
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_file', file_id: file },
              { type: 'input_image', file_id: file },
            ],
          },
        ],
      },
      ['input[0].content[0].file_id', 'input[0].content[1].file_id'],
    ],
    [
      'vector stores',
      { tools: [{ type: 'file_search', vector_store_ids: ['vs_123456'] }] },
      ['tools[0].vector_store_ids[0]'],
    ],
    ['a container', { tools: [{ type: 'code_interpreter', container: 'cntr_123456' }] }, ['tools[0].container']],
    [
      'files of a container',
      { tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: [file] } }] },
      ['tools[0].container.file_ids[0]'],
    ],
    [
      'skills',
      { tools: [{ type: 'shell', environment: { skills: [{ type: 'skill_reference', skill_id: 'skill_123456' }] } }] },
      ['tools[0].environment.skills[0].skill_id'],
    ],
    [
      'members that are not known',
      { some_new_member: { deeply: [{ named: 'vs_123456' }] } },
      ['some_new_member.deeply[0].named'],
    ],
  ])('include %s', (_what, body, paths) => {
    expect(namedObjects(body).map(({ path }) => path)).toEqual(paths);
  });

  it.each<[string, object, string[]]>([
    ['a previous response', { previous_response_id: bare }, ['previous_response_id']],
    ['a conversation', { conversation: bare }, ['conversation']],
    ['a conversation by its id', { conversation: { id: bare } }, ['conversation.id']],
    ['a stored prompt', { prompt: { id: bare } }, ['prompt.id']],
    [
      'files in the variables of a prompt, whatever their names',
      {
        prompt: {
          id: bare,
          variables: {
            a: { type: 'input_file', file_id: bare },
            metadata: { type: 'input_image', file_id: bare },
            file_id: file,
          },
        },
      },
      ['prompt.id', 'prompt.variables.a.file_id', 'prompt.variables.metadata.file_id'],
    ],
    ['a file', { input: [{ content: [{ type: 'input_file', file_id: bare }] }] }, ['input[0].content[0].file_id']],
    [
      'a file of an output',
      { input: [{ type: 'function_call_output', output: [{ type: 'input_file', file_id: bare }] }] },
      ['input[0].output[0].file_id'],
    ],
    ['a mask', { tools: [{ input_image_mask: { file_id: bare } }] }, ['tools[0].input_image_mask.file_id']],
    [
      'vector stores',
      { tools: [{ type: 'file_search', vector_store_ids: [bare, bare] }] },
      ['tools[0].vector_store_ids[0]', 'tools[0].vector_store_ids[1]'],
    ],
    ['collections', { tools: [{ collection_ids: [bare] }] }, ['tools[0].collection_ids[0]']],
    ['a container', { tools: [{ type: 'code_interpreter', container: bare }] }, ['tools[0].container']],
    ['a container by its id', { tools: [{ container: { id: bare } }] }, ['tools[0].container.id']],
    [
      'files of a new container',
      { tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: [bare] } }] },
      ['tools[0].container.file_ids[0]'],
    ],
    [
      'a container of a shell',
      { tools: [{ type: 'shell', environment: { type: 'container_reference', container_id: bare } }] },
      ['tools[0].environment.container_id'],
    ],
    [
      'files and skills of a new container of a shell',
      { tools: [{ environment: { file_ids: [bare], skills: [{ type: 'skill_reference', skill_id: bare }] } }] },
      ['tools[0].environment.file_ids[0]', 'tools[0].environment.skills[0].skill_id'],
    ],
    ['a container of a call', { input: [{ container_id: bare }] }, ['input[0].container_id']],
    ['a connector', { tools: [{ type: 'mcp', connector_id: bare }] }, ['tools[0].connector_id']],
    ['a connection', { tools: [{ project_connection_id: bare }] }, ['tools[0].project_connection_id']],
    ['a memory store', { tools: [{ memory_store_name: bare }] }, ['tools[0].memory_store_name']],
    ['an agent', { agent: { type: 'agent_reference', name: bare, version: '1' } }, ['agent.name']],
    ['a file of Azure', { member: 'assistant-AbC123xyz' }, ['member']],
    ['a collection of xAI', { members: ['collection_3be0eec8-ee8e'] }, ['members[0]']],
  ])('include %s without the prefixes of OpenAI', (_what, body, paths) => {
    expect(namedObjects(body).map(({ path }) => path)).toEqual(paths);
  });

  it.each<[string, object]>([
    ['texts', { input: 'file-6F2ksmvXxt4VdoqmHRw6kL', instructions: 'resp_12345678' }],
    ['ids of replayed items', { input: [{ type: 'message', role: 'assistant', id: 'msg_12345678', content: [] }] }],
    [
      'calls',
      { input: [{ type: 'function_call', call_id: 'call_1', id: 'fc_12345678', arguments: '{"a":"file-123456"}' }] },
    ],
    [
      'types',
      { tools: [{ type: 'file_search' }], input: [{ type: 'file_search_call', id: 'fs_1', queries: ['vs_1234567'] }] },
    ],
    ['names of tools', { tools: [{ type: 'function', name: 'file_search_tool', parameters: { id: 'file-123456' } }] }],
    ['new containers', { tools: [{ container: { type: 'auto' } }, { environment: { type: 'container_auto' } }] }],
    [
      'inline skills',
      { tools: [{ environment: { skills: [{ type: 'inline', name: 'file_reader', source: { type: 'base64' } }] } }] },
    ],
    ['services', { tools: [{ type: 'mcp', connector_id: 'connector_gmail', server_label: 'mail' }] }],
    ['absent objects', { conversation: null, previous_response_id: null, tools: [{ container: '' }] }],
    [
      'tools of other servers',
      {
        tools: [{ type: 'mcp', require_approval: { never: { tool_names: ['file_search_tool'] } } }],
        input: [{ type: 'mcp_list_tools', tools: [{ name: 'a', input_schema: { required: ['file_search_id'] } }] }],
      },
    ],
    ['metadata', { metadata: { of: 'file-123456789' }, user: 'thread_12345678' }],
  ])('do not include %s', (_what, body) => {
    expect(namedObjects(body)).toEqual([]);
  });
});

it('a response names its items, its conversation and their containers', () => {
  const response = {
    id: 'resp_1',
    conversation: { id: 'conv_1' },
    output: [
      { type: 'code_interpreter_call', id: 'ci_1', container_id: 'cntr_1' },
      { type: 'shell_call', id: 'sh_1', environment: { container_id: 'cntr_2' } },
      { type: 'file_search_call', id: 'fs_1', results: [{ file_id: 'file_1' }, { file_id: 'file_2' }] },
      { type: 'file_search_call', id: 'fs_2', results: null },
      { type: 'message', id: 'msg_1', content: [{ annotations: [{ file_id: 'cfile_1', container_id: 'cntr_1' }] }] },
    ],
  };
  expect(obtainedObjects(response).toSorted()).toEqual([
    'cfile_1',
    'ci_1',
    'cntr_1',
    'cntr_2',
    'conv_1',
    'file_1',
    'file_2',
    'fs_1',
    'fs_2',
    'msg_1',
    'resp_1',
    'sh_1',
  ]);
  // One that is not stored has made its files and containers nevertheless.
  expect(obtainedObjects(response, false).toSorted()).toEqual(['cfile_1', 'cntr_1', 'cntr_2', 'file_1', 'file_2']);
});

describe('items that say nothing but their id', () => {
  const summary = [{ type: 'summary_text', text: 'It thought.' }];

  it.each([
    ['reasoning', { type: 'reasoning', id: 'rs_1', summary }],
    [
      'reasoning whose content is null',
      { type: 'reasoning', id: 'rs_1', summary, encrypted_content: null, content: [] },
    ],
    ['a compaction', { type: 'compaction', id: 'cmp_1' }],
    ['an image', { type: 'image_generation_call', id: 'ig_1', result: null, status: 'completed' }],
  ])('are %s', (_what, item) => {
    expect(bareItems({ input: ['x', { role: 'user', content: 'Hello' }, item] })).toEqual([
      { path: 'input[2].id', id: item.id, isItem: true },
    ]);
    expect(bareItems({ items: [item] })).toMatchObject([{ path: 'items[0].id' }]);
    // Their client may name them later, stored or not.
    expect(obtainedObjects({ id: 'resp_1', output: [item] }, false)).toEqual([item.id]);
  });

  it.each([
    ['encrypted reasoning', { type: 'reasoning', id: 'rs_1', summary, encrypted_content: 'gAAAA' }],
    [
      'reasoning as text',
      { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'So' }] },
    ],
    ['reasoning without an id', { type: 'reasoning', summary }],
    ['a message', { type: 'message', id: 'msg_1', role: 'assistant', content: [] }],
    ['a call', { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: '{}' }],
    ['an image with its bytes', { type: 'image_generation_call', id: 'ig_1', result: 'iVBORw0KGgo=' }],
    ['a compaction with its content', { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAA' }],
  ])('are not %s', (_what, item) => {
    expect(bareItems({ input: [item] })).toEqual([]);
    expect(namedObjects({ input: [item] })).toEqual([]);
  });

  it('are none of a text', () => {
    expect([bareItems({ input: 'Hello' }), bareItems(null), bareItems([])]).toEqual([[], [], []]);
  });
});
