import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayMetrics } from '../../../src/gateway/metrics/metrics.ts';
import { formatFor } from '../../../src/rest/metrics/page-format.ts';
import { renderMetrics } from '../../../src/rest/metrics/render-metrics.ts';
import { buildPrometheusCheck, hasGo, prometheusCheck } from '../../harness/go-tools.ts';
import { mayBeMissing } from '../../harness/tool-paths.ts';

/** On a machine of CI, Go has to be there. */
const describeWithGo = hasGo || !mayBeMissing ? describe : describe.skip;

describeWithGo('what Prometheus reads', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-prometheus-'));
  beforeAll(() => buildPrometheusCheck());
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function faultOf(rules: string): string {
    const file = join(folder, 'rules.yaml');
    writeFileSync(file, rules);
    return prometheusCheck(['rules', file]).err;
  }

  it('are rules that it accepts', () => {
    const text = readFileSync('deploy/prometheus/rules.yaml', 'utf8');
    const rules = [...text.matchAll(/^ +- alert: /gm)].length;
    expect(prometheusCheck(['rules', 'deploy/prometheus/rules.yaml'])).toEqual({
      code: 0,
      out: `rules ${rules}\n`,
      err: '',
    });
    expect(faultOf(text.replace('sum(rate(', 'sum(rates('))).toContain('unknown function');
    expect(faultOf(text.replace('{{ $labels.instance }}', '{{ $labels.instance'))).toContain('template');
    expect(faultOf(text.replace('for: 1m', 'fore: 1m'))).toContain('fore');
  });

  it('is the page of metrics, in both formats, with exemplars in OpenMetrics', () => {
    const metrics = new GatewayMetrics();
    for (const name of ['chat', 'a "quoted"\\name\nwith a line']) {
      const counters = metrics.capability(name);
      for (const durationMs of [3, 40, 700]) {
        counters.requestEnded(200, durationMs);
        counters.sampledEnded({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }, durationMs, 1_767_225_600_250);
      }
      counters.firstToken(7);
    }
    metrics.errorAnswered('invalid_json');
    metrics.addGauge({ name: 'lost_total', type: 'counter', help: 'A "counter".', read: () => 2 });
    metrics.addGauge({ name: 'lag_seconds', help: 'May be unknown.', read: () => NaN });
    const page = renderMetrics(metrics, []);
    const parsed = (accept: string): { code: number | null; out: string; err: string } => {
      const format = formatFor(accept);
      return prometheusCheck(['page', format.contentType], format.of(page));
    };
    const series = page.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length;
    expect(parsed('text/plain')).toEqual({ code: 0, out: `series ${series}, exemplars 0\n`, err: '' });
    expect(parsed('application/openmetrics-text')).toEqual({
      code: 0,
      out: `series ${series}, exemplars 6\n`,
      err: '',
    });
    expect(prometheusCheck(['page', formatFor('application/openmetrics-text').contentType], page).code).toBe(1);
  });
});
