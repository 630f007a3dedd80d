import { expect, it } from 'vitest';
import { explainCost } from '../../../../src/catalogue/prices/explain-cost.ts';
import { compileRates, costNano } from '../../../../src/catalogue/prices/price.ts';
import { embeddings } from '../../../../src/gateway/capabilities/embeddings/embeddings.ts';
import { rerank } from '../../../../src/gateway/capabilities/rerank/rerank.ts';

const rates = { input: '0', output: '0', units: [{ unit: 'document' as const, price: '0.0001' }] };
const list = Buffer.from(
  '{"object":"list","data":[{"object":"embedding","index":0,"embedding":[1]}],"usage":{"prompt_tokens":9}}',
);

it.each([
  ['a text', 'one', 1],
  ['three texts', ['one', 'two', 'three'], 3],
  ['the tokens of one text', [1, 2, 3, 4], 1],
  ['the tokens of two texts', [[1, 2], [3]], 2],
])('embeddings of %s are billed by document for a model priced per document', (_what, input, count) => {
  const request = embeddings.parse({ model: 'any/model', input });
  const { usage } = embeddings.parseResponse('any', list, embeddings.summarize(request), { costOf: () => 0n });
  if (usage === null) throw new Error('no usage');
  expect(usage.media).toEqual([{ unit: 'document', quantity: count }]);
  // 0.0001 USD each.
  expect(costNano(compileRates(rates), usage)).toBe(BigInt(count) * 100_000n);
  expect(explainCost(rates, usage).at(-1)).toMatchObject({ label: 'documents', unit: 'document', quantity: count });
});

it('the cost of a ranking is explained by its searches', () => {
  const summary = rerank.summarize(rerank.parse({ model: 'any/model', query: 'a', documents: ['b', 'c'] }));
  const body = { results: [], usage: { total_tokens: 5 }, meta: { billed_units: { search_units: 2 } } };
  const { usage } = rerank.parseResponse('any', Buffer.from(JSON.stringify(body)), summary, { costOf: () => 0n });
  if (usage === null) throw new Error('no usage');
  const searched = { input: '0', output: '0', units: [{ unit: 'search' as const, price: '0.002' }] };
  const searches = { label: 'searches', unit: 'search', quantity: 2, rate: '0.002', amountNano: 4_000_000n };
  expect(explainCost(searched, usage).at(-1)).toMatchObject(searches);
});
