import { expect, it } from 'vitest';
import { messageText, outputText } from '../../../src/dashboard/pages/datasets/output-text.ts';
import { datasetSearch } from '../../../src/dashboard/pages/datasets/search.ts';

it('reads the settings of a run from the URL of a dataset, and drops invalid ones', () => {
  expect(datasetSearch({ scorers: ['CONTAINS', 'EXACT_MATCH'], temperature: 0, maxTokens: 20 })).toMatchObject({
    scorers: ['EXACT_MATCH', 'CONTAINS'],
    temperature: 0,
    maxTokens: 20,
  });
  for (const input of [
    { scorers: 'CONTAINS', temperature: 2.5, maxTokens: 0 },
    { scorers: ['OTHER'], temperature: '1', maxTokens: 1.5 },
  ])
    expect(datasetSearch(input)).toMatchObject({ scorers: undefined, temperature: undefined, maxTokens: undefined });
});

it('compares outputs only with a text, not with what is shown in place of one', () => {
  const calls = { content: null, tool_calls: [{ function: { name: 'weather', arguments: '{}' } }] };
  expect(messageText(calls)).toBeNull();
  expect(outputText(calls)).toBe('Calls weather');
  expect(messageText(null)).toBeNull();
  expect(outputText(null)).toBe('No output');
  expect(messageText({ content: [{ text: 'a' }, { text: 'b' }] })).toBe('ab');
});
