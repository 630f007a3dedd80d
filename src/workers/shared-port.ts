import { createServer } from 'node:net';
import type { WorkerGroup } from './worker-group.ts';

/**
 * With `PORT=0`, has all workers listen on one port that the system chose: also those that start when no other one runs, which
 * node:cluster would give another port.
 */
export function sharePort(group: WorkerGroup, host: string): void {
  let chosen: Promise<number> | null = null;
  group.handlers.onRequest('port', () => (chosen ??= choosePort(host)));
}

/** 0 where the address cannot be used: the worker reports why. The port is free until it listens, a moment later. */
function choosePort(host: string): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(0));
    probe.listen({ port: 0, host }, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
