import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Gauge } from '../../gateway/metrics.ts';

/** How often the loop's delay is sampled, in milliseconds: each time wakes an idle process. */
const resolutionMs = 100;

const nanosecondsPerSecond = 1e9;

/** What the process itself tells. The loop's delay is that since the metrics were last read. */
export class ProcessGauges {
  readonly #delay = monitorEventLoopDelay({ resolution: resolutionMs });

  constructor() {
    this.#delay.enable();
  }

  /** The gauges in the order of their reading: the last of the delay's begins a new window. */
  list(): readonly Gauge[] {
    const memory = process.memoryUsage;
    return [
      { name: 'process_resident_memory_bytes', help: 'Resident memory.', read: () => memory.rss() },
      { name: 'process_heap_used_bytes', help: 'JavaScript heap in use.', read: () => memory().heapUsed },
      {
        name: 'process_cpu_seconds_total',
        type: 'counter',
        help: 'User and system CPU time so far.',
        read: cpuSeconds,
      },
      { name: 'process_uptime_seconds', help: 'Time since the start.', read: () => process.uptime() },
      {
        name: 'event_loop_delay_p99_seconds',
        help: 'Delay of the event loop since the last scrape, 99th percentile.',
        read: () => delaySeconds(this.#delay.percentile(99)),
      },
      {
        name: 'event_loop_delay_max_seconds',
        help: 'Delay of the event loop since the last scrape, the longest.',
        read: () => {
          const longest = delaySeconds(this.#delay.max);
          this.#delay.reset();
          return longest;
        },
      },
    ];
  }

  stop(): void {
    this.#delay.disable();
  }
}

/** What the histogram tells is the time between two samples. */
function delaySeconds(nanosecondsBetween: number): number {
  return Math.max(0, nanosecondsBetween / nanosecondsPerSecond - resolutionMs / 1_000);
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
