import { readdirSync, statSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { descriptors } from '../../descriptors/descriptors.ts';
import type { Gauge } from '../../gateway/metrics/metrics.ts';

/** Sampling interval of the event loop delay, in milliseconds. Each sample wakes an idle process. */
const resolutionMs = 100;

const nanosecondsPerSecond = 1e9;

/** Metrics of the process. The event loop delay covers the time since the last scrape. */
export class ProcessGauges {
  readonly #delay = monitorEventLoopDelay({ resolution: resolutionMs });

  constructor() {
    this.#delay.enable();
  }

  /** In the order they are read: the last delay gauge resets the histogram. */
  list(): readonly Gauge[] {
    const memory = process.memoryUsage;
    return [
      { name: 'process_resident_memory_bytes', help: 'Resident memory.', read: () => memory.rss() },
      { name: 'process_heap_used_bytes', help: 'JavaScript heap in use.', read: () => memory().heapUsed },
      {
        name: 'process_cpu_seconds_total',
        type: 'counter',
        help: 'Total user and system CPU time.',
        read: cpuSeconds,
      },
      { name: 'process_uptime_seconds', help: 'Time since the process started.', read: () => process.uptime() },
      { name: 'process_open_fds', help: 'Open file descriptors; Linux only.', read: openDescriptors },
      {
        name: 'process_max_fds',
        help: 'Maximum open file descriptors; Linux only.',
        read: () => descriptors.limit ?? NaN,
      },
      {
        name: 'event_loop_delay_p99_seconds',
        help: '99th percentile of the event loop delay since the last scrape.',
        read: () => delaySeconds(this.#delay.percentile(99)),
      },
      {
        name: 'event_loop_delay_max_seconds',
        help: 'Maximum event loop delay since the last scrape.',
        read: () => {
          const max = delaySeconds(this.#delay.max);
          this.#delay.reset();
          return max;
        },
      },
    ];
  }

  stop(): void {
    this.#delay.disable();
  }
}

function openDescriptors(): number {
  // From Linux 6.2 on the size of the folder is their number.
  const { size = NaN } = statSync('/proc/self/fd', { throwIfNoEntry: false }) ?? {};
  return size === 0 ? readdirSync('/proc/self/fd').length : size;
}

/** The histogram records the time between two samples. */
function delaySeconds(nanosecondsBetween: number): number {
  return Math.max(0, nanosecondsBetween / nanosecondsPerSecond - resolutionMs / 1_000);
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
