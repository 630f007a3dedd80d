import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayMetrics } from '../../../../src/gateway/metrics/metrics.ts';
import type { WeightedTarget } from '../../../../src/gateway/routing/resolved-route.ts';
import { renderMetrics } from '../../../../src/rest/metrics/render-metrics.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';

/** All samples by name with labels. @throws if a line is neither sample nor comment */
function parse(page: string): Map<string, number> {
  const samples = new Map<string, number>();
  for (const line of page.trimEnd().split('\n')) {
    if (/^# (HELP [a-z0-9_]+ .+|TYPE [a-z0-9_]+ (counter|gauge|histogram))$/.test(line)) continue;
    const [, name = '', value = ''] =
      /^([a-z0-9_]+(?:\{(?:[a-z_]+="(?:[^"\\\n]|\\.)*",?)+\})?) ([+-]?Inf|NaN|[-+.e\d]+)$/.exec(line) ?? [];
    if (name === '') throw new Error(`not Prometheus' format: ${line}`);
    if (samples.has(name)) throw new Error(`twice: ${name}`);
    samples.set(name, Number(value.replace('Inf', 'Infinity')));
  }
  return samples;
}

describe('the page', () => {
  it('counts requests, tokens and errors', () => {
    const metrics = new GatewayMetrics();
    const chat = metrics.capability('chat');
    chat.requestEnded(200, 40);
    chat.requestEnded(200, 60);
    chat.requestEnded(429, 1);
    chat.requestEnded(0, 5);
    chat.tokensUsed(10, 20, 4, 2);
    metrics.errorAnswered('rate_limit_requests');
    const samples = parse(renderMetrics(metrics, []));
    expect(samples.get('sluice_requests_total{capability="chat",status="2xx"}')).toBe(2);
    expect(samples.get('sluice_requests_total{capability="chat",status="4xx"}')).toBe(1);
    expect(samples.get('sluice_requests_total{capability="chat",status="aborted"}')).toBe(1);
    expect(samples.get('sluice_tokens_total{capability="chat",kind="output"}')).toBe(20);
    expect(samples.get('sluice_errors_total{code="rate_limit_requests"}')).toBe(1);
  });

  it('has cumulative buckets, whose last contains all samples', () => {
    const metrics = new GatewayMetrics();
    const chat = metrics.capability('chat');
    for (const afterMs of [5, 6, 400, 1_000_000]) chat.firstToken(afterMs);
    const samples = parse(renderMetrics(metrics, []));
    const bucket = (le: string): number | undefined =>
      samples.get(`sluice_first_token_seconds_bucket{capability="chat",le="${le}"}`);
    expect([bucket('0.005'), bucket('0.01'), bucket('0.5'), bucket('300'), bucket('+Inf')]).toEqual([1, 2, 3, 3, 4]);
    expect(samples.get('sluice_first_token_seconds_count{capability="chat"}')).toBe(4);
    expect(samples.get('sluice_first_token_seconds_sum{capability="chat"}')).toBeCloseTo(1000.411);
  });

  it('reads gauges per request, and formats infinity like Prometheus', () => {
    const metrics = new GatewayMetrics();
    let bytes = 1;
    metrics.addGauge({ name: 'journal_bytes', help: 'Bytes not yet drained.', read: () => bytes });
    metrics.addGauge({ name: 'drainer_lag_seconds', help: 'Age of the oldest.', read: () => Infinity });
    bytes = 4096;
    const samples = parse(renderMetrics(metrics, []));
    expect(samples.get('sluice_journal_bytes')).toBe(4096);
    expect(samples.get('sluice_drainer_lag_seconds')).toBe(Infinity);
  });

  it('escapes label values', () => {
    const metrics = new GatewayMetrics();
    metrics.capability('a"b\\c\nd').requestEnded(200, 1);
    expect([...parse(renderMetrics(metrics, [])).keys()]).toContain(
      'sluice_requests_total{capability="a\\"b\\\\c\\nd",status="2xx"}',
    );
  });
});

describe('/metrics', () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startGateway({
      providers: { openai: 'http://127.0.0.1:9/v1' },
      config: 'routes: { everyday: { targets: [openai/gpt-4.1-mini, sandbox/chat] } }\nrouting: { retries: 0 }',
    });
  });

  async function chat(model: string): Promise<void> {
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    });
    await answer.text();
  }

  afterAll(async () => {
    await gateway.close();
  });

  it('contains metrics of the process and of its requests', async () => {
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }] }),
    });
    await answer.text();
    const page = await fetch(`${gateway.url}/metrics`);
    expect(page.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const samples = parse(await page.text());
    expect(samples.get('sluice_requests_total{capability="chat",status="2xx"}')).toBe(1);
    expect(samples.get('sluice_open_requests{capability="chat"}')).toBe(0);
    expect(samples.get('sluice_process_resident_memory_bytes')).toBeGreaterThan(1e7);
    expect(samples.get('sluice_process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(samples.has('sluice_event_loop_delay_p99_seconds')).toBe(true);
  });

  it('counts requests and first-token times by model, provider, route and code', async () => {
    await chat('everyday');
    await chat('openai/gpt-4.1-mini');
    const page = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(page).toContain('# TYPE sluice_process_cpu_seconds_total counter\n');
    expect(page).toContain('# TYPE sluice_model_first_token_seconds histogram\n');
    const samples = parse(page);
    const sandbox = 'provider="sandbox",model="sandbox/chat"';
    const openai = 'provider="openai",model="openai/gpt-4.1-mini"';
    expect(samples.get(`sluice_model_requests_total{${sandbox},route="everyday",code="ok"}`)).toBe(1);
    expect(samples.get(`sluice_model_requests_total{${sandbox},route="",code="ok"}`)).toBe(1);
    expect(samples.get(`sluice_model_requests_total{${openai},route="",code="provider_unreachable"}`)).toBe(1);
    expect(samples.get(`sluice_model_first_token_seconds_count{${sandbox},route="everyday"}`)).toBe(1);
  });

  it('has a bounded number of series by model', () => {
    const metrics = new GatewayMetrics();
    const { target } = anyRoute(gateway);
    for (let index = 0; index < 1_100; index++)
      metrics.targets.of({ ...target, model: `m${index}` }, '').ended(null, 1);
    const series = [...parse(renderMetrics(metrics, [])).keys()].filter((name) =>
      name.includes('model_requests_total'),
    );
    expect(series).toHaveLength(1_001);
    expect(series.at(-1)).toBe('sluice_model_requests_total{provider="other",model="other",route="other",code="ok"}');
  });
});

function anyRoute({ router }: TestGateway): WeightedTarget {
  const target = router.resolve('sandbox/chat', { accountId: '' })?.targets[0];
  if (target === undefined) throw new Error('the sandbox is not there');
  return target;
}
