import { describe, expect, it } from 'vitest';
import type { ModelListing, ModelPricing } from '../../../src/gateway/keys/model-directory.ts';
import { modelMatcher, modelOrders } from '../../../src/graphql/models/model-filter.ts';
import { ModelOrder, type ModelFilter } from '../../../src/graphql/models/model.types.ts';

const base: ModelListing = {
  id: 'openai/a',
  created: 0,
  ownedBy: 'openai',
  name: 'A',
  provider: 'openai',
  contextWindow: 100_000,
  maxOutputTokens: null,
  inputModalities: ['text', 'image'],
  outputModalities: ['text'],
  capabilities: ['chat', 'tools'],
  pricing: null,
  isUnpriced: false,
  deprecation: null,
  region: null,
  dataPolicy: { trainsOnData: null, retentionDays: null, isSetByConnection: false, source: null },
};
const priced = (input: string, output: string): ModelPricing => ({
  unit: 'per_1m_tokens',
  currency: 'USD',
  version: 'v',
  input,
  output,
});
const byImage: ModelPricing = { ...priced('0', '0'), units: [{ unit: 'image', price: '0.04' }] };
const models: readonly ModelListing[] = [
  {
    ...base,
    id: 'openai/cheap',
    name: 'Cheap Turbo',
    pricing: priced('0.1', '9'),
    region: 'eu',
    dataPolicy: { ...base.dataPolicy, trainsOnData: false, retentionDays: 0 },
  },
  {
    ...base,
    id: 'openai/dear',
    name: 'Dear',
    contextWindow: 1_000_000,
    pricing: priced('5', '1'),
    region: 'eu-west-2',
    dataPolicy: { ...base.dataPolicy, trainsOnData: true, retentionDays: 30 },
  },
  {
    ...base,
    id: 'openai/painter',
    name: 'Painter',
    outputModalities: ['image'],
    capabilities: ['images'],
    pricing: byImage,
  },
  { ...base, id: 'openai/unpriced', name: 'Unpriced', contextWindow: null, isUnpriced: true },
  {
    ...base,
    id: 'own/local',
    provider: 'own',
    name: 'Local',
    inputModalities: ['text'],
    deprecation: { source: 'https://example.com', readOn: '2026-01-01' },
  },
];
const found = (filter: ModelFilter): string[] =>
  models.filter(modelMatcher(filter)).map(({ id }) => id.slice(id.indexOf('/') + 1));

describe('the filter of models', () => {
  it.each<[string, ModelFilter, string[]]>([
    ['nothing', {}, ['cheap', 'dear', 'painter', 'unpriced', 'local']],
    ['each of several capabilities', { capabilities: ['chat', 'tools'] }, ['cheap', 'dear', 'unpriced', 'local']],
    ['one capability and another', { capability: 'images', capabilities: ['chat'] }, []],
    ['an input modality', { inputModality: 'image' }, ['cheap', 'dear', 'painter', 'unpriced']],
    ['an output modality', { outputModality: 'image' }, ['painter']],
    ['a context window', { minContextWindow: 200_000 }, ['dear']],
    ['a maximum input price, which models that are not billed meet', { maxInputPrice: '0.1' }, ['cheap', 'local']],
    ['free input', { maxInputPrice: '0' }, ['local']],
    ['a maximum output price', { maxOutputPrice: '1' }, ['dear', 'local']],
    ['words in any order', { search: ' turbo OPENAI/ ' }, ['cheap']],
    ['deprecated models', { deprecated: true }, ['local']],
    ['a region', { region: 'eu' }, ['cheap']],
    ['a provider that does not train', { trainsOnData: false }, ['cheap']],
    ['a provider that trains', { trainsOnData: true }, ['dear']],
    ['zero retention', { maxRetentionDays: 0 }, ['cheap']],
    ['a maximum retention', { maxRetentionDays: 30 }, ['cheap', 'dear']],
    ['models that are not deprecated', { deprecated: false }, ['cheap', 'dear', 'painter', 'unpriced']],
  ])('finds by %s', (_what, filter, ids) => {
    expect(found(filter)).toEqual(ids);
  });

  it('refuses long lists and texts', () => {
    const refused = expect.objectContaining({ code: 'bad_user_input' });
    expect(() => modelMatcher({ capabilities: Array(17).fill('chat') })).toThrow(refused);
    expect(() => modelMatcher({ search: 'a'.repeat(201) })).toThrow(refused);
  });

  it('sorts by price, with models that have none per token at the end', () => {
    const sorted = (order: ModelOrder): string[] => models.toSorted(modelOrders[order]).map(({ name }) => name);
    expect(sorted(ModelOrder.INPUT_PRICE)).toEqual(['Local', 'Cheap Turbo', 'Dear', 'Painter', 'Unpriced']);
    expect(sorted(ModelOrder.OUTPUT_PRICE)).toEqual(['Local', 'Dear', 'Cheap Turbo', 'Painter', 'Unpriced']);
  });
});
