import { describe, expect, it } from 'vitest';
import { namedObjects } from '../../../../src/protocols/messages/provider-objects.ts';

const bare = 'my-own';
const file = 'file_011CNha8iCJcU1wXNR6q4V8w';

describe('the objects that a request names', () => {
  it.each<[string, object, string[]]>([
    ['a container', { container: bare }, ['container']],
    ['a container by its id', { container: { id: bare, skills: [] } }, ['container.id']],
    ['a container of a tool', { tools: [{ type: 'new', container: bare }] }, ['tools[0].container']],
    [
      'custom skills',
      { container: { skills: [{ type: 'custom', skill_id: bare }, { skill_id: bare }] } },
      ['container.skills[0].skill_id', 'container.skills[1].skill_id'],
    ],
    [
      'files',
      { messages: [{ content: [{ type: 'document', source: { type: 'file', file_id: bare } }] }] },
      ['messages[0].content[0].source.file_id'],
    ],
    ['lists of files', { tools: [{ file_ids: [bare] }] }, ['tools[0].file_ids[0]']],
    [
      'members that are not known',
      { member: file, members: [[{ id: 'skill_01AbCdEfGhIjKlMn' }], 'msgbatch_013Zva2CMHLNnXjN'] },
      ['member', 'members[0][0].id', 'members[1]'],
    ],
  ])('include %s', (_what, body, paths) => {
    expect(namedObjects(body).map(({ path }) => path)).toEqual(paths);
  });

  it.each<[string, unknown]>([
    ['texts', { system: file, messages: [{ content: file }, { content: [{ type: 'text', text: file }] }] }],
    ['arguments', { messages: [{ content: [{ type: 'tool_use', input: { file_id: file, container: bare } }] }] }],
    [
      'definitions of tools',
      {
        tools: [
          {
            name: 'file_search',
            description: file,
            input_schema: { properties: { container: { id: file } }, required: [file] },
            input_examples: [{ file_id: file }],
          },
        ],
        tool_choice: { type: 'tool', name: 'file_search1' },
      },
    ],
    [
      'outputs of a replayed conversation',
      { messages: [{ content: [{ content: { type: 'bash_code_execution_output', file_id: file } }] }] },
    ],
    ['skills of the provider', { container: { skills: [{ type: 'anthropic', skill_id: 'pptx' }] } }],
    ['metadata', { metadata: { user_id: file } }],
    ['calls', { messages: [{ content: [{ type: 'tool_use', id: 'toolu_01D7FLrfh4GYq7yT1ULFeyMV' }] }] }],
    ['what is no object', [{ container: bare }]],
  ])('do not include %s', (_what, body) => {
    expect(namedObjects(body)).toEqual([]);
  });
});
