import { contentGauges } from '../../gateway/metrics/content-gauges.ts';
import { GatewayMetrics, journalGauge, TargetMetrics } from '../../gateway/metrics/metrics.ts';
import { telemetryGauges } from '../../gateway/metrics/telemetry-gauges.ts';
import { connectionGauge } from '../../rest/connections/connection-limit.ts';
import { ProcessGauges } from '../../rest/metrics/process-gauges.ts';
import { workerGauges } from '../../rest/metrics/worker-gauges.ts';
import { renderMetrics } from '../../rest/metrics/render-metrics.ts';
import { table } from './table.ts';

/** The families of `/metrics` with their labels, read from a page that has a sample of each. */
export function metricsReference(): string {
  const page = renderedPage();
  const rows = [...page.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\w+)\n(.*)/gm)].map(
    ([, name = '', help = '', type = '', sample = '']) => {
      const labels = [...sample.matchAll(/(\w+)="/g)].map(([, label = '']) => label).filter((label) => label !== 'le');
      return [`\`${name}\``, type, labels.map((label) => `\`${label}\``).join(', '), help];
    },
  );
  return table(['metric', 'type', 'labels', 'meaning'], rows);
}

function renderedPage(): string {
  const metrics = new GatewayMetrics();
  metrics.capability('chat').requestEnded(200, 1);
  metrics.errorAnswered('internal_error');
  metrics.requestRejected('chat', 'invalid_json');
  metrics.addGauge(journalGauge({ undrainedBytes: 0 }));
  metrics.addGauge(connectionGauge({ refused: 0 }));
  const content = contentGauges(
    { stored: 0, droppedCount: 0, budget: { used: 0 } },
    { unsearchableCount: 0 },
    { lostCount: 0 },
  );
  for (const gauge of content) metrics.addGauge(gauge);
  const telemetry = telemetryGauges({ droppedSpans: () => 0, droppedLogs: () => 0 });
  for (const gauge of telemetry) metrics.addGauge(gauge);
  const target = new TargetMetrics('sandbox', 'sandbox/chat', 'route');
  target.ended(null, 1);
  const gauges = new ProcessGauges();
  try {
    const { capabilities, errors, rejected, gauges: own } = metrics;
    return renderMetrics({ capabilities, errors, rejected, gauges: own, targets: { all: [target] } }, [
      ...gauges.list(),
      ...workerGauges({ running: 0, restarts: 0 }),
    ]);
  } finally {
    gauges.stop();
  }
}
