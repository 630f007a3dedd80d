import { describe, expect, it } from 'vitest';
import { metricsReference } from '../../../../src/cli/docs/metrics-reference.ts';
import { GatewayMetrics } from '../../../../src/gateway/metrics/metrics.ts';
import { formatFor } from '../../../../src/rest/metrics/page-format.ts';
import { renderMetrics } from '../../../../src/rest/metrics/render-metrics.ts';

const PROMETHEUS_3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2';
const span = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const AT = Date.UTC(2026, 0, 1) + 250;

function page(): string {
  const metrics = new GatewayMetrics();
  const chat = metrics.capability('chat');
  for (const durationMs of [40, 700, 800]) chat.requestEnded(200, durationMs);
  chat.sampledEnded(span, 700, AT);
  metrics.addGauge({ name: 'lost_total', type: 'counter', help: 'Of a "name".', read: () => 2 });
  metrics.capability(`x",le="5"} # {trace_id="${span.traceId}",span_id="${span.spanId}"} 1 2`).requestEnded(200, 1);
  return renderMetrics(metrics, []);
}

describe('the format of /metrics', () => {
  it.each([
    [PROMETHEUS_3, 'application/openmetrics-text; version=1.0.0; charset=utf-8'],
    ['application/openmetrics-text', 'application/openmetrics-text; version=1.0.0; charset=utf-8'],
    [
      'application/openmetrics-text; version="0.0.1", */*',
      'application/openmetrics-text; version=1.0.0; charset=utf-8',
    ],
    [undefined, 'text/plain; version=0.0.4; charset=utf-8'],
    ['', 'text/plain; version=0.0.4; charset=utf-8'],
    ['*/*', 'text/plain; version=0.0.4; charset=utf-8'],
    ['application/openmetrics-text;q=0', 'text/plain; version=0.0.4; charset=utf-8'],
    ['application/openmetrics-text;q=nonsense', 'text/plain; version=0.0.4; charset=utf-8'],
    ['application/openmetrics-text; version=2.0.0', 'text/plain; version=0.0.4; charset=utf-8'],
    ['text/plain, application/openmetrics-text;q=0.5', 'text/plain; version=0.0.4; charset=utf-8'],
    ['*/*, application/openmetrics-text;q=0.5', 'text/plain; version=0.0.4; charset=utf-8'],
  ])('for %s is %s', (accept, contentType) => expect(formatFor(accept).contentType).toBe(contentType));

  it('has the trace of a sampled request as exemplar of its bucket in OpenMetrics', () => {
    const lines = formatFor(PROMETHEUS_3).of(page()).split('\n');
    const bucket = 'sluice_request_duration_seconds_bucket{capability="chat"';
    expect(lines).toContain(
      `${bucket},le="1.0"} 3 # {trace_id="${span.traceId}",span_id="${span.spanId}"} 0.7 1767225600.25`,
    );
    expect(lines).toContain(`${bucket},le="0.5"} 1`);
    expect(lines.filter((line) => line.includes(' # {trace_id="'))).toHaveLength(1);
  });

  it('names families without the suffix of their counters, and ends with EOF', () => {
    const text = formatFor(PROMETHEUS_3).of(page());
    expect(text).toContain('# HELP sluice_lost Of a \\"name\\".\n# TYPE sluice_lost counter\nsluice_lost_total 2\n');
    expect(text).toContain('# TYPE sluice_request_duration_seconds histogram\n');
    expect(text).toMatch(/\n# EOF\n$/);
    expect(text).not.toContain('\n\n');
  });

  it('has no exemplars as text, and is the same otherwise', () => {
    const text = formatFor('*/*').of(page());
    expect(text).toContain('sluice_request_duration_seconds_bucket{capability="chat",le="1"} 3\n');
    expect(text.split('\n')).toHaveLength(page().split('\n').length);
    expect(text).toContain('# HELP sluice_lost_total Of a "name".\n');
  });

  it('changes no value of a label that looks like an exemplar or a bound', () => {
    const label = (format: string): string | undefined =>
      formatFor(format)
        .of(page())
        .split('\n')
        .find((line) => line.startsWith('sluice_requests_total{capability="x'));
    expect(label('*/*')).toMatch(/x\\",le=\\"5\\"\} # \{trace_id=\\"4bf9.* 1 2",status="2xx"\} 1$/);
    expect(label(PROMETHEUS_3)).toBe(label('*/*'));
  });

  it('can name every counter: all end with _total, and nothing else does', () => {
    const families = [...metricsReference().matchAll(/^\| `(\w+)` \| (\w+) \|/gm)];
    expect(families.length).toBeGreaterThan(20);
    for (const [, name = '', type = ''] of families)
      expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
  });
});
