import { describe, expect, it } from 'vitest';
import { namedObjects } from '../../../../src/protocols/gemini/provider-objects.ts';

describe('the objects that a request names', () => {
  it.each<[string, object, string[]]>([
    ['a cached content', { cachedContent: 'mine' }, ['cachedContent']],
    [
      'file search stores',
      { tools: [{ file_search: { file_search_store_names: ['mine'] } }] },
      ['tools[0].file_search.file_search_store_names[0]'],
    ],
    [
      'files',
      { contents: [{ parts: [{ fileData: { fileUri: 'files/abc' } }] }] },
      ['contents[0].parts[0].fileData.fileUri'],
    ],
    ['what belongs to the project', { tools: [{ retrieval: null }] }, ['tools[0].retrieval']],
    ...[
      'files/abc',
      'cachedContents/abc',
      'fileSearchStores/abc',
      'corpora/abc/documents/d',
      'tunedModels/abc',
      'projects/p/locations/us-central1/cachedContents/1',
      'gs://bucket/object',
      'https://generativelanguage.googleapis.com/v1beta/files/abc',
    ].map<[string, object, string[]]>((id) => [
      `members that are not known: ${id}`,
      { tools: [{ new: { name: id, others: [id] } }] },
      ['tools[0].new.name', 'tools[0].new.others[0]'],
    ]),
  ])('include %s', (_what, body, paths) => {
    expect(namedObjects(body).map(({ path }) => path)).toEqual(paths);
  });

  it.each<[string, object]>([
    ['texts', { contents: [{ parts: [{ text: 'files/abc' }, { inlineData: { data: 'files/abc' } }] }] }],
    [
      'arguments and responses',
      {
        contents: [
          {
            parts: [
              { functionCall: { name: 'read', args: { path: 'files/abc' } } },
              { functionResponse: { name: 'read', response: { path: ['files/abc'] } } },
            ],
          },
        ],
      },
    ],
    [
      'definitions of tools',
      {
        tools: [
          { functionDeclarations: [{ name: 'read', description: 'files/abc', parameters: { default: 'files/a' } }] },
        ],
        generation_config: { response_schema: { enum: ['files/abc'] }, stop_sequences: ['files/abc'] },
      },
    ],
    ['models', { model: 'models/gemini-2.5-pro', other: 'projects/p/locations/us/publishers/google/models/m' }],
    ['pages', { contents: [{ parts: [{ fileData: { fileUri: 'https://www.youtube.com/watch?v=1' } }] }] }],
  ])('do not include %s', (_what, body) => {
    expect(namedObjects(body)).toEqual([]);
  });
});
