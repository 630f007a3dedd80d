import { startOtlpReceiver } from '../harness/otlp-receiver.ts';
import { closeConnections, loads, send, type Target } from './load.ts';
import { cpuMicroseconds, keepApart } from './processes.ts';
import { median } from './report.ts';
import { startSluice, startUpstream } from './targets.ts';
import { counterOf } from './content-logging.ts';

const WARM_UP = 60_000;
const WARM_UP_TURNS = 20;
const REQUESTS = 6_000;
const TURNS = 6;
/** What is intended: CPU of a small request with traces of 10 % of them, metrics and logs, against one without. */
const MAX_RATIO = 1.25;
const SAMPLING_RATIO = 0.1;

const say = (text: string): void => void process.stderr.write(`${text}\n`);

/**
 * Sends small requests to a server without telemetry and to one that exports it to a collector, in turns. The CPU of a request
 * includes the export of its spans.
 * @returns whether the ratio is within what is intended, and nothing was dropped
 */
export async function reportTracing(rounds: number): Promise<boolean> {
  const upstream = await startUpstream();
  const receiver = await startOtlpReceiver();
  const off = await startSluice(upstream.origin, undefined, 'telemetry off');
  const on = await startSluice(upstream.origin, undefined, 'telemetry on', {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: String(SAMPLING_RATIO),
  });
  try {
    const targets = [off, on];
    for (const target of targets) await target.settle();
    keepApart(targets.map(({ pid }) => pid));
    for (let turn = 0; turn < WARM_UP_TURNS; turn++)
      for (const target of targets) await send(target, loads.small, WARM_UP / WARM_UP_TURNS);
    const ratios: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      const [without = 0, within = 0] = await measureRound(targets);
      ratios.push(within / without);
      say(`round ${round} of ${rounds}: ${without.toFixed(0)} µs a request, ${within.toFixed(0)} µs with telemetry`);
    }
    const dropped = await counterOf(on, 'sluice_telemetry_dropped_spans_total');
    const ratio = median(ratios);
    process.stdout.write(
      `Tracing at ${SAMPLING_RATIO * 100} %: ${ratio.toFixed(2)} times the CPU of a small request; ${receiver.spans.length} spans received, ${dropped} dropped.\n`,
    );
    return ratio <= MAX_RATIO && dropped === 0;
  } finally {
    await closeConnections();
    await Promise.all([off.stop(), on.stop()]);
    await upstream.stop();
    await receiver.close();
  }
}

/** @returns the CPU of a request in microseconds, of each target */
async function measureRound(targets: readonly Target[]): Promise<number[]> {
  for (const target of targets) await target.settle();
  const before = targets.map(({ pid }) => cpuMicroseconds(pid));
  for (let turn = 0; turn < TURNS; turn++)
    for (const target of targets) await send(target, loads.small, REQUESTS / TURNS);
  for (const target of targets) await target.settle();
  return targets.map(({ pid }, at) => (cpuMicroseconds(pid) - (before[at] ?? 0)) / REQUESTS);
}
