import { describe, expect, it } from 'vitest';
import { GatewayMetrics, type Gauge } from '../../../../src/gateway/metrics/metrics.ts';
import { countersIn, mergePages } from '../../../../src/rest/metrics/merge-pages.ts';
import { renderMetrics } from '../../../../src/rest/metrics/render-metrics.ts';

function gauge(name: string, value: number): Gauge {
  return { name, help: 'A value.', read: () => value };
}

/** The page of a process that has served requests of this duration. */
function pageOf(durationsMs: readonly number[], gauges: readonly Gauge[] = []): string {
  const metrics = new GatewayMetrics();
  for (const durationMs of durationsMs) {
    metrics.capability('chat').requestEnded(200, durationMs);
    metrics.capability('chat').openRequests++;
  }
  if (durationsMs.length > 2) metrics.errorAnswered('invalid_json');
  return renderMetrics(metrics, gauges);
}

describe('one page for several processes', () => {
  it('is that of one process that had served all of their requests', () => {
    expect(mergePages([pageOf([1, 20]), pageOf([300, 4_000, 70_000])])).toBe(pageOf([1, 20, 300, 4_000, 70_000]));
  });

  it('is that of the process where there is one', () => {
    const page = pageOf([1, 20, 3], [gauge('journal_bytes', 7)]);
    expect(mergePages([page])).toBe(page);
    expect(mergePages(['', page])).toBe(page);
  });

  it('has series that only one of them has', () => {
    expect(mergePages([pageOf([1]), pageOf([1, 2, 3])])).toContain('sluice_errors_total{code="invalid_json"} 1\n');
  });

  it('adds up gauges, but for those of which the highest says more', () => {
    const values = (bytes: number, delay: number): Gauge[] => [
      gauge('process_resident_memory_bytes', bytes),
      gauge('event_loop_delay_p99_seconds', delay),
    ];
    const merged = mergePages([pageOf([], values(100, 0.25)), pageOf([], values(20, NaN)), pageOf([], values(3, 0.5))]);
    expect(merged).toContain('sluice_process_resident_memory_bytes 123\n');
    expect(merged).toContain('sluice_event_loop_delay_p99_seconds 0.5\n');
  });

  it('keeps counters and histograms of a process that has ended, not its gauges', () => {
    const kept = countersIn(pageOf([1, 2, 3], [gauge('journal_bytes', 7)]));
    expect(kept).toContain('sluice_requests_total{capability="chat",status="2xx"} 3\n');
    expect(kept).toContain('sluice_request_duration_seconds_count{capability="chat"} 3\n');
    expect(kept).not.toMatch(/sluice_(open_requests|journal_bytes)/);
  });
});

describe('exemplars of several processes', () => {
  const [older, newer] = ['a'.repeat(32), 'b'.repeat(32)];
  const sampledPage = (traceId: string, at: number, afterMs: number): string => {
    const metrics = new GatewayMetrics();
    metrics.capability('chat').requestEnded(200, afterMs);
    metrics.capability('chat').sampledEnded({ traceId, spanId: '1'.repeat(16) }, afterMs, at);
    return renderMetrics(metrics, []);
  };
  const exemplarsIn = (page: string): string[] =>
    page
      .split('\n')
      .flatMap((line) => /le="([^"]+)"\} (\d+) # \{trace_id="(\w)/.exec(line)?.slice(1, 4).join(' ') ?? []);

  it('are the latest of each bucket', () => {
    const pages = [sampledPage(newer, 2_000, 7), sampledPage(older, 1_000, 8), sampledPage(older, 1_000, 400)];
    expect(exemplarsIn(mergePages(pages))).toEqual(['0.01 2 b', '0.5 3 a']);
    expect(exemplarsIn(mergePages(pages.toReversed()))).toEqual(['0.01 2 b', '0.5 3 a']);
    expect(exemplarsIn(countersIn(mergePages(pages)))).toEqual(['0.01 2 b', '0.5 3 a']);
  });
});
