import type { Gauge } from '../../gateway/metrics/metrics.ts';

/** What a supervisor counts of its workers. */
export interface ObservedWorkers {
  readonly running: number;
  readonly restarts: number;
}

export function workerGauges(workers: ObservedWorkers): readonly Gauge[] {
  return [
    { name: 'workers', help: 'Worker processes that run, with `WORKERS` above 1.', read: () => workers.running },
    {
      name: 'worker_restarts_total',
      type: 'counter',
      help: 'Worker processes that ended and were started again, with `WORKERS` above 1.',
      read: () => workers.restarts,
    },
  ];
}
