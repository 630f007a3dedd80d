import { describe, expect, it } from 'vitest';
import { csvOf } from '../../../src/dashboard/data/csv.ts';
import {
  bestOf,
  comparisonRows,
  metricsOf,
  sortedBy,
  type Metric,
  type RunModel,
} from '../../../src/dashboard/pages/datasets/runs/comparison/metrics.ts';

function model(name: string, changes: Partial<RunModel> = {}): RunModel {
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
    const scored = (average: number, count: number): RunModel =>
      model('b', { scores: [{ scorer: 'EXACT_MATCH', average, count }] });
    expect(bestOf(metric('score_exact_match'), [model('a'), scored(1, 9)])).toBeNull();
    expect(bestOf(metric('score_exact_match'), [model('a'), model('b', { scores: [] })])).toBeNull();
    expect(bestOf(metric('score_exact_match'), [model('a'), scored(1, 10)])).toBe(1);
  });
});

describe('the models of a run', () => {
  const models = [
    model('a', { latencyP50Ms: 300 }),
    model('b', { latencyP50Ms: null }),
    model('c', { latencyP50Ms: 200 }),
  ];
  const names = (sorted: readonly RunModel[]): string => sorted.map((each) => each.model).join('');

  it('are sorted by a column in both directions, those without a value last', () => {
    expect(names(sortedBy(metric('latency_p50_ms'), false, models))).toBe('cab');
    expect(names(sortedBy(metric('latency_p50_ms'), true, models))).toBe('acb');
    expect(names(sortedBy(null, false, models))).toBe('abc');
  });

  it('are exported as CSV without formats, unknown values empty', () => {
    const rows = comparisonRows(metrics, [model('=a,b'), model('c', { completed: 0, failed: 10, costUsd: null })]);
    expect(csvOf(rows)).toBe(
      [
        'model,requests,score_exact_match,score_exact_match_count,completed,failed,cost_usd,cost_per_item_usd,latency_p50_ms,latency_p95_ms,input_tokens,output_tokens,output_tokens_per_second',
        `"'=a,b",10,0.5,10,10,0,0.02,0.002,400,900,100,50,30`,
        'c,10,0.5,10,0,10,,,400,900,100,50,30',
        '',
      ].join('\r\n'),
    );
  });
});
