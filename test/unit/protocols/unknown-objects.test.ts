import { describe, expect, it } from 'vitest';
import { namedObjects as chatObjects } from '../../../src/protocols/chat-completions/provider-objects.ts';
import { namedObjects as completionObjects } from '../../../src/protocols/completions/provider-objects.ts';
import { namedObjects as geminiObjects } from '../../../src/protocols/gemini/provider-objects.ts';
import { namedObjects as messagesObjects } from '../../../src/protocols/messages/provider-objects.ts';
import { namedObjects as responsesObjects } from '../../../src/protocols/responses/provider-objects.ts';

const protocols = {
  'chat-completions': chatObjects,
  completions: completionObjects,
  gemini: geminiObjects,
  messages: messagesObjects,
  responses: responsesObjects,
};
const names = ['chat-completions', 'completions', 'gemini', 'messages', 'responses'] as const;
const token = 'wdg_68a1b2c3d4e5f60718293a4b';
const uuid = '5f0c1d2e-3a4b-4c5d-8e6f-708192a3b4c5';

const pathsOf = (name: keyof typeof protocols, body: object): string[] => protocols[name](body).map(({ path }) => path);

describe.each(names)('members that %s does not know', (name) => {
  it.each<[string, object, string[]]>([
    ['a name in snake case', { widget_id: 'mine' }, ['widget_id']],
    ['a name in camel case', { widgetId: 'mine', otherIDs: ['mine'] }, ['widgetId', 'otherIDs[0]']],
    ['another spelling of it', { Widget_ID: 'mine', 'widget-id': 'mine' }, ['Widget_ID', 'widget-id']],
    ['a list', { widget_ids: ['', 'mine', ['deeper']] }, ['widget_ids[1]', 'widget_ids[2][0]']],
    ['a number', { widget_id: 42, widget_ids: [7] }, ['widget_id', 'widget_ids[0]']],
    ['an object with an id', { widget: { id: 'mine' }, widgets: [{ id: 'mine' }] }, ['widget.id', 'widgets[0].id']],
    ['ids', { widget: { ids: ['mine'] } }, ['widget.ids[0]']],
    ['an id of a general form', { widget: token, widgets: [token] }, ['widget', 'widgets[0]']],
    ['a prefix and a UUID', { widget: { ref: `wdg-${uuid}` } }, ['widget.ref']],
    [
      'a hosted tool',
      { tools: [{ type: 'widget', id: 'mine', widget_id: 'mine' }] },
      ['tools[0].id', 'tools[0].widget_id'],
    ],
    ['settings of a hosted tool', { tools: [{ widget: { store: token } }] }, ['tools[0].widget.store']],
  ])('name objects: %s', (_what, body, paths) => {
    const found = protocols[name](body);
    expect(found.map(({ path }) => path)).toEqual(paths);
    expect(found.every(({ isUnknown }) => isUnknown === true)).toBe(true);
  });

  it.each<[string, object]>([
    ['metadata in any form', { metadata: { user_id: token }, user_metadata: { turn_id: 'mine', of: { id: token } } }],
    ['a metadata that is a text', { session_metadata: token }],
    ['absent objects', { widget_id: null, widget_ids: [], other_id: '', widget: { id: null } }],
    ['what only resembles an id', { paid: 'yes', valid: 'no', grids: ['a'], uuids: 'b', Id0: 'c' }],
    ['short and ordinary texts', { widget: 'web_search_20250305', other: 'claude-haiku-4-5-20251001', third: uuid }],
    ['switches', { widget_id: true, use_ids: false }],
    ['tokens', { stop_token_ids: [1, 2], eos_token_id: 3, token_type_ids: [0], return_token_ids: true }],
  ])('do not: %s', (_what, body) => {
    expect(pathsOf(name, body)).toEqual([]);
  });

  it('are checked for known names in metadata of other names', () => {
    const known = name === 'gemini' ? 'cached_content' : 'container';
    expect(pathsOf(name, { user_metadata: { [known]: 'mine', note_id: 'own' } })).toEqual([`user_metadata.${known}`]);
  });
});

describe('ids that agents send', () => {
  it.each<[keyof typeof protocols, string, object]>([
    [
      'responses',
      'items, calls and turns',
      {
        prompt_cache_key: uuid,
        safety_identifier: token,
        client_metadata: { session_id: uuid, turn: { turn_id: token, installation_ids: [uuid] } },
        input: [
          {
            type: 'message',
            role: 'user',
            id: 'at_68a1b2c3d4e5f60718293a4b',
            content: [{ type: 'input_text', text: token }],
          },
          {
            type: 'function_call',
            id: 'fc_68a1b2c3d4e5f60718',
            call_id: token,
            namespace: 'mcp__a',
            arguments: '{"id":1}',
          },
          { type: 'function_call_output', id: 'tso_1', call_id: token, output: token },
          { type: 'tool_search_call', id: 'ts_1', arguments: { widget_id: token, id: 'mine' } },
          {
            type: 'tool_search_output',
            tools: [
              { type: 'namespace', tools: [{ type: 'function', name: 'f', parameters: { id: 'x', a_id: 'y' } }] },
            ],
          },
          {
            type: 'message',
            role: 'user',
            internal_chat_message_metadata_passthrough: { message_id: token },
            content: 'x',
          },
          {
            type: 'local_shell_call',
            id: 'lsh_1',
            call_id: 'c',
            action: { command: [token], env: { SESSION_ID: 'x' } },
          },
          { type: 'computer_call', id: 'cu_1', call_id: 'c', pending_safety_checks: [{ id: 'sc_1', code: 'a' }] },
          { type: 'file_search_call', id: 'fs_1', results: [{ attributes: { document_id: 'mine' }, text: token }] },
          { type: 'mcp_call', id: 'mcp_1', approval_request_id: 'mcpr_1', arguments: '{}', output: token },
        ],
        tools: [{ type: 'mcp', server_label: 'a', authorization: token, headers: { 'x-session-id': token } }],
      },
    ],
    [
      'messages',
      'calls of tools',
      {
        metadata: { user_id: token },
        messages: [
          {
            role: 'assistant',
            id: 'msg_1',
            content: [{ type: 'tool_use', id: 'toolu_1', name: 'f', input: { a_id: 'x' } }],
          },
          {
            role: 'assistant',
            content: [
              {
                type: 'tool_use',
                id: 'toolu_2',
                name: 'f',
                caller: { type: 'code_execution_20250825', tool_id: 'srvtoolu_1' },
              },
            ],
          },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: token }] }],
          },
        ],
        mcp_servers: [{ type: 'url', url: 'https://example.com', name: 'a', authorization_token: token }],
        tools: [{ name: 'f', input_schema: { properties: { id: 'x' }, default: { user_id: token } } }],
      },
    ],
    [
      'chat-completions',
      'calls, users and sessions',
      {
        user_id: token,
        session_id: uuid,
        messages: [
          {
            role: 'assistant',
            id: 'chatmessage',
            tool_calls: [{ id: 'call_1', function: { name: 'f', arguments: '{"widget_id":"x"}' } }],
            reasoning_details: [{ id: 'rs_1', type: 'reasoning.encrypted', data: token }],
          },
          { role: 'tool', tool_call_id: 'call_1', content: token },
        ],
        plugins: [{ id: 'web' }],
        documents: [{ id: 'mine', data: { document_id: 'mine' } }],
        tools: [{ type: 'function', function: { name: 'f', parameters: { id: token, user_id: 'x' } } }],
      },
    ],
    [
      'gemini',
      'calls and schemas',
      {
        contents: [
          { role: 'model', parts: [{ functionCall: { id: 'call-1', name: 'f', args: { id: token, a_id: 'x' } } }] },
          { role: 'user', parts: [{ functionResponse: { id: 'call-1', name: 'f', response: { output_id: token } } }] },
          { role: 'model', parts: [{ executable_code: { id: 'x', code: token } }, { text: token }] },
        ],
        tools: [{ function_declarations: [{ name: 'f', parameters_json_schema: { default: { user_id: token } } }] }],
        labels: { team_id: 'mine' },
      },
    ],
    ['completions', 'requests', { request_id: token, user: token, prompt: token, prompts: [], logit_bias: { 50: 1 } }],
  ])('pass in %s: %s', (name, _what, body) => {
    expect(pathsOf(name, body)).toEqual([]);
  });
});

it('an answer to a request for an approval names it, and only a provider that stores items finds it', () => {
  const input = [
    { type: 'mcp_approval_request', id: 'mcpr_1', name: 'f', arguments: '{}', server_label: 'a' },
    { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
  ];
  expect(responsesObjects({ input })).toEqual([{ path: 'input[1].approval_request_id', id: 'mcpr_1', isItem: true }]);
});
