import { expect, it } from 'vitest';
import type { ModelListing } from '../../../../src/gateway/keys/model-directory.ts';
import { RunEstimates } from '../../../../src/services/dataset-runs/run-estimates.ts';
import { key } from '../../../harness/gateway.ts';

const listing = (id: string, changes: Partial<ModelListing> = {}): ModelListing => ({
  id,
  created: 0,
  ownedBy: 'p',
  name: id,
  provider: 'p',
  contextWindow: null,
  maxOutputTokens: null,
  inputModalities: ['text'],
  outputModalities: ['text'],
  capabilities: ['chat'],
  pricing: null,
  isUnpriced: false,
  deprecation: null,
  region: null,
  dataPolicy: { trainsOnData: null, retentionDays: null, isSetByConnection: false, source: null },
  ...changes,
});

const rates = { unit: 'per_1m_tokens', currency: 'USD', version: 'test', input: '2', output: '8' } as const;
const models = new Map([
  ['flat', listing('flat', { pricing: rates })],
  // The input of one request decides, not that of all.
  ['tiered', listing('tiered', { pricing: { ...rates, tiers: [{ aboveTokens: 500, input: '4', output: '16' }] } })],
  ['fee', listing('fee', { pricing: { ...rates, request: '0.01' } })],
  ['unknown', listing('unknown', { isUnpriced: true })],
  ['free', listing('free')],
  ['images', listing('images', { capabilities: ['images'] })],
  ['another-name', listing('flat')],
]);

const names = ['flat', 'tiered', 'fee', 'unknown', 'free'];
const estimates = new RunEstimates({
  database: { query: async <Row>() => [{ items: 10, input: 4_000, output: 1_000 }] as Row[] },
  datasets: { get: async () => ({ id: '', name: '', items: 10, bytes: '0', created_ms: '0', updated_ms: '0' }) },
  usableModel: (_key, name) => models.get(name),
});

it('multiplies the tokens of the items by the price of each model, and says where there is none', async () => {
  const estimate = await estimates.of(key, 'dataset', { models: names, judge: 'flat' });
  // $2 and $8 per million: 4,000 and 1,000 tokens are $0.016.
  expect(estimate.models.map(({ model, costNano }) => [model, costNano])).toEqual([
    ['flat', 16_000_000n],
    ['tiered', 16_000_000n],
    ['fee', 116_000_000n],
    ['unknown', null],
    ['free', 0n],
  ]);
  // 50 outputs: 5 × (4,000 + 2 × 1,000) + 50 × 400 tokens in, 50 × 120 out.
  expect(estimate.judge).toEqual({ model: 'flat', inputTokens: 50_000, outputTokens: 6_000, costNano: 148_000_000n });
});

it('refuses the models that a run refuses', async () => {
  await expect(estimates.of(key, 'dataset', { models: ['missing'] })).rejects.toMatchObject({
    code: 'model_not_found',
  });
  for (const input of [
    { models: ['images'] },
    { models: ['flat', 'another-name'] },
    { models: ['flat'], judge: 'images' },
  ])
    await expect(estimates.of(key, 'dataset', input)).rejects.toMatchObject({ code: 'bad_user_input' });
});
