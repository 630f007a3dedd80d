import { pino } from 'pino';
import { openDataFolder } from '../../composition/data-folder.ts';
import { shareClaims } from '../../composition/worker-claims.ts';
import { shareFeeds } from '../../composition/worker-feeds.ts';
import { shareLive } from '../../composition/worker-live.ts';
import { sharePolls } from '../../composition/worker-polls.ts';
import { shareLimits } from '../../composition/gateway/worker-limits.ts';
import type { Configuration } from '../../config/configuration.ts';
import { serializeError } from '../../database/error-serializer.ts';
import { GatewayMetrics } from '../../gateway/metrics/metrics.ts';
import { countersIn, mergePages } from '../../rest/metrics/merge-pages.ts';
import { ProcessGauges } from '../../rest/metrics/process-gauges.ts';
import { renderMetrics } from '../../rest/metrics/render-metrics.ts';
import { workerGauges } from '../../rest/metrics/worker-gauges.ts';
import { MergedMetrics } from '../../workers/merged-metrics.ts';
import { sharePort } from '../../workers/shared-port.ts';
import { FailedStartError, Supervisor } from '../../workers/supervisor.ts';
import { WorkerGroup } from '../../workers/worker-group.ts';
import { stopSignal } from './stop-signal.ts';

/** Has workers serve until a signal arrives. @returns the exit code */
export async function supervise({ environment }: Configuration): Promise<number> {
  const destination = pino.destination({ sync: true });
  const log = pino({ level: environment.LOG_LEVEL, serializers: { err: serializeError } }, destination);
  const { lock } = await openDataFolder(environment, log);
  const group = new WorkerGroup();
  if (environment.REDIS_URL === undefined) {
    shareLimits(group, log);
    shareClaims(group, environment.WORKERS);
    shareLive(group);
  }
  shareFeeds(group);
  sharePolls(group);
  sharePort(group, environment.HOST);
  const supervisor = new Supervisor({ count: environment.WORKERS, group, log });
  const gauges = [...new ProcessGauges().list(), ...workerGauges(supervisor)];
  const own = (): string => renderMetrics(new GatewayMetrics(), gauges);
  void new MergedMetrics({ group, own, merge: mergePages, countersIn });
  const signalled = stopSignal(() => {
    supervisor.signal('SIGKILL');
    process.exit(1);
  });
  process.on('SIGHUP', () => supervisor.reload());
  const started = supervisor.start().then(
    ({ welcome }) => process.stdout.write(welcome),
    (error: unknown) => {
      // Printed by the worker.
      if (error instanceof FailedStartError) return null;
      throw error;
    },
  );
  const failed = started.then((result) => (result === null ? null : new Promise<never>(() => undefined)));
  const lost = lock.lost.then(() => {
    log.fatal('another process has the data folder now; this one ends');
    return null;
  });
  const signal = await Promise.race([signalled, failed, lost]);
  const isStopped = await supervisor.stop(signal ?? 'SIGTERM');
  await lock.release();
  return signal !== null && isStopped ? 0 : 1;
}
