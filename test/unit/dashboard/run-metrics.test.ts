import { describe, expect, it } from 'vitest';
import { csvOf } from '../../../src/dashboard/data/csv.ts';
import {
  bestOf,
  comparabilityOf,
  comparisonRows,
  metricsOf,
  sortedBy,
  withCommonFigures,
  withOwnFigures,
  type ComparedModel,
  type Metric,
  type RunModel,
} from '../../../src/dashboard/pages/datasets/runs/comparison/metrics.ts';

function model(name: string, changes: Partial<RunModel> = {}): ComparedModel {
  const [own] = withOwnFigures([runModel(name, changes)]);
  return own ?? expect.fail('no model');
}

function runModel(name: string, changes: Partial<RunModel> = {}): RunModel {
  return {
    model: name,
    total: 10,
    completed: 10,
    failed: 0,
    waitingFor: null,
    costUsd: '0.02',
    inputTokens: 100,
    outputTokens: 50,
    latencyP50Ms: 400,
    latencyP95Ms: 900,
    outputTokensPerSecond: 30,
    scores: [{ scorer: 'EXACT_MATCH', average: 0.5, count: 10 }],
    errors: [],
    common: null,
    judge: null,
    ...changes,
  };
}

const metrics = metricsOf(['EXACT_MATCH']);

function metric(name: string): Metric {
  const found = metrics.find((each) => each.name === name);
  if (found === undefined) throw new Error(`No metric ${name}`);
  return found;
}

describe('the best value of a column', () => {
  it('is the highest score and the lowest latency', () => {
    const scores = [{ scorer: 'EXACT_MATCH' as const, average: 0.9, count: 10 }];
    const models = [model('a'), model('b', { scores, latencyP50Ms: 700 })];
    expect(bestOf(metric('score_exact_match'), models)).toBe(0.9);
    expect(bestOf(metric('latency_p50_ms'), models)).toBe(400);
  });

  it('does not exist among equal models, for one model, or for tokens', () => {
    expect(bestOf(metric('latency_p50_ms'), [model('a'), model('b')])).toBeNull();
    expect(bestOf(metric('latency_p50_ms'), [model('a')])).toBeNull();
    expect(bestOf(metric('output_tokens'), [model('a'), model('b', { outputTokens: 1 })])).toBeNull();
  });

  it('leaves models without a value out', () => {
    const unknown = model('a', { costUsd: null, latencyP50Ms: null });
    expect(bestOf(metric('latency_p50_ms'), [unknown, model('b'), model('c', { latencyP50Ms: 500 })])).toBe(400);
    expect(bestOf(metric('latency_p50_ms'), [unknown, { ...unknown, model: 'b' }])).toBeNull();
  });

  it('exists only where the models completed as many requests, but for the number of those', () => {
    const scores = [{ scorer: 'EXACT_MATCH' as const, average: 1, count: 1 }];
    const fast = { costUsd: '0.0001', latencyP50Ms: 1, latencyP95Ms: 1, outputTokensPerSecond: 90, scores };
    const models = [model('a'), model('b', { completed: 1, failed: 9, ...fast })];
    const best = metrics.flatMap(({ name }) => (bestOf(metric(name), models) === null ? [] : [name]));
    expect(best).toEqual(['completed', 'failed']);
    expect(bestOf(metric('cost_usd'), [model('a'), model('b', { costUsd: '0.01' })])).toBe(0.01);
  });

  it('is no score that is of fewer outputs, or where a model has none', () => {
    const scored = (average: number, count: number): ComparedModel =>
      model('b', { scores: [{ scorer: 'EXACT_MATCH', average, count }] });
    expect(bestOf(metric('score_exact_match'), [model('a'), scored(1, 9)])).toBeNull();
    expect(bestOf(metric('score_exact_match'), [model('a'), model('b', { scores: [] })])).toBeNull();
    expect(bestOf(metric('score_exact_match'), [model('a'), scored(1, 10)])).toBe(1);
  });
});

describe('models that completed different items', () => {
  const common = (average: number, changes: Partial<NonNullable<RunModel['common']>> = {}) => ({
    items: 6,
    costUsd: '0.012',
    inputTokens: 60,
    outputTokens: 30,
    latencyP50Ms: 500,
    latencyP95Ms: 800,
    outputTokensPerSecond: 30,
    scores: [{ scorer: 'EXACT_MATCH' as const, average, count: 5 }],
    ...changes,
  });
  const scores = (average: number) => [{ scorer: 'EXACT_MATCH' as const, average, count: 8 }];
  // As many, and six of them are the same.
  const models = [
    runModel('a', { completed: 8, failed: 2, latencyP50Ms: 300, scores: scores(0.9), common: common(0.2) }),
    runModel('b', {
      completed: 8,
      failed: 2,
      latencyP50Ms: 400,
      scores: scores(0.5),
      common: common(0.4, { latencyP50Ms: 350 }),
    }),
  ];

  it('are compared over the items that all of them completed', () => {
    expect(comparabilityOf(models, ['EXACT_MATCH'])).toEqual({ items: 6, differs: true });
    const compared = withCommonFigures(models);
    expect(bestOf(metric('score_exact_match'), compared)).toBe(0.4);
    expect(bestOf(metric('latency_p50_ms'), compared)).toBe(350);
    expect(compared.map((each) => metric('cost_per_item_usd').value(each))).toEqual([0.002, 0.002]);
    expect(compared.map((each) => metric('completed').value(each))).toEqual([8, 8]);
  });

  it('are better in nothing by their own figures, though these are of as many items', () => {
    const own = withOwnFigures(models);
    expect(metrics.flatMap(({ name }) => (bestOf(metric(name), own) === null ? [] : [name]))).toEqual([]);
  });

  it('are not compared where they have no item in common', () => {
    const none = common(0, { items: 0, scores: [] });
    const apart = models.map((each) => ({ ...each, common: none }));
    expect(comparabilityOf(apart, ['EXACT_MATCH'])).toEqual({ items: 0, differs: true });
    const compared = withCommonFigures(apart);
    expect(metrics.flatMap(({ name }) => (bestOf(metric(name), compared) === null ? [] : [name]))).toEqual([]);
  });

  it('differ in nothing where each completed the same items', () => {
    const same = models.map((each) => ({
      ...each,
      completed: 6,
      scores: each.common?.scores ?? [],
    }));
    expect(comparabilityOf(same, ['EXACT_MATCH'])).toEqual({ items: 6, differs: false });
    expect(comparabilityOf(same.slice(0, 1), ['EXACT_MATCH'])).toBeNull();
    expect(comparabilityOf([runModel('a'), runModel('b')], ['EXACT_MATCH'])).toBeNull();
  });
});

describe('the models of a run', () => {
  const models = [
    model('a', { latencyP50Ms: 300 }),
    model('b', { latencyP50Ms: null }),
    model('c', { latencyP50Ms: 200 }),
  ];
  const names = (sorted: readonly ComparedModel[]): string => sorted.map((each) => each.model).join('');

  it('are sorted by a column in both directions, those without a value last', () => {
    expect(names(sortedBy(metric('latency_p50_ms'), false, models))).toBe('cab');
    expect(names(sortedBy(metric('latency_p50_ms'), true, models))).toBe('acb');
    expect(names(sortedBy(null, false, models))).toBe('abc');
  });

  it('are exported as CSV without formats, unknown values empty', () => {
    const rows = comparisonRows(metrics, [model('=a,b'), model('c', { completed: 0, failed: 10, costUsd: null })]);
    expect(csvOf(rows)).toBe(
      [
        'model,requests,items,score_exact_match,score_exact_match_count,completed,failed,cost_usd,cost_per_item_usd,latency_p50_ms,latency_p95_ms,input_tokens,output_tokens,output_tokens_per_second',
        `"'=a,b",10,10,0.5,10,10,0,0.02,0.002,400,900,100,50,30`,
        'c,10,0,0.5,10,0,10,,,400,900,100,50,30',
        '',
      ].join('\r\n'),
    );
  });
});
