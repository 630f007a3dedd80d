import { describe, expect, it } from 'vitest';
import { namedObjects } from '../../../../src/protocols/chat-completions/provider-objects.ts';

const bare = 'my-own';
const file = 'file-6F2ksmvXxt4VdoqmHRw6kL';

describe('the objects that a chat names', () => {
  it.each<[string, object, string[]]>([
    [
      'files',
      { messages: [{ content: [{ type: 'file', file: { file_id: bare } }] }] },
      ['messages[0].content[0].file.file_id'],
    ],
    ['an earlier audio response', { messages: [{ role: 'assistant', audio: { id: bare } }] }, ['messages[0].audio.id']],
    ['a custom voice', { audio: { voice: { id: bare }, format: 'mp3' } }, ['audio.voice.id']],
    ['vector stores', { tools: [{ vector_store_ids: [bare] }] }, ['tools[0].vector_store_ids[0]']],
    ['a container', { container: { id: bare } }, ['container.id']],
    ['members that are not known', { new: { a: file, b: ['skill_01AbCdEfGh'] } }, ['new.a', 'new.b[0]']],
  ])('include %s', (_what, body, paths) => {
    expect(namedObjects(body).map(({ path }) => path)).toEqual(paths);
  });

  it.each<[string, object]>([
    ['texts', { messages: [{ content: file }, { content: [{ type: 'text', text: file }], name: 'file_reader' }] }],
    [
      'calls',
      {
        messages: [{ tool_calls: [{ id: 'call_1', function: { name: 'file_search', arguments: '{"file_id":"a"}' } }] }],
      },
    ],
    [
      'definitions of tools',
      {
        tools: [{ function: { name: 'file_search', description: file, parameters: { required: [file], id: file } } }],
        tool_choice: { function: { name: 'file_search' } },
        response_format: { json_schema: { name: 'file_search', schema: { enum: [file] } } },
      },
    ],
    ['voices of the provider', { audio: { voice: 'alloy', format: 'mp3' } }],
    [
      'the client’s own words',
      { stop: [file], user: file, metadata: { file_id: file }, prediction: { content: file } },
    ],
  ])('do not include %s', (_what, body) => {
    expect(namedObjects(body)).toEqual([]);
  });
});
