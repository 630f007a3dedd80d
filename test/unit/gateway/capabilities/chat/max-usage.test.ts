import { expect, test } from 'vitest';
import { maxChatUsage } from '../../../../../src/gateway/capabilities/chat/max-usage.ts';

function mostSearches(members: object): number {
  const request = { model: 'some', messages: [{ role: 'user' as const, content: 'Hi' }], ...members };
  const [search] = maxChatUsage(request, 100).media ?? [];
  return search?.quantity ?? 0;
}

test.each([
  ['nothing where no search is asked for', {}, 0],
  ['searches where the web may be searched', { web_search_options: {} }, 10],
  ['the usual sources of a live search', { search_parameters: { mode: 'on' } }, 20],
  ['as many sources as a live search asks for', { search_parameters: { max_search_results: 30 } }, 30],
  ['no more sources than a live search gives', { search_parameters: { max_search_results: 1e9 } }, 50],
  ['the usual sources for a count that is none', { search_parameters: { max_search_results: -1 } }, 20],
])('reserves %s', (_what, members, expected) => {
  expect(mostSearches(members)).toBe(expected);
});
