import { readFileSync } from 'node:fs';

/** Below it, a few thousand streams reach it: each has a connection to its client and one to its provider. */
export const MIN_RECOMMENDED_LIMIT = 4_096;
const LIMITS = '/proc/self/limits';

/**
 * The file descriptors that this process may have open: the hard limit, to which Node raises the soft one at its start.
 * @returns null where it is not known, or unlimited
 */
export function descriptorLimit(): number | null {
  if (process.platform !== 'linux') return null;
  try {
    return limitIn(readFileSync(LIMITS, 'utf8'));
  } catch {
    return null;
  }
}

/** @param limits as in `/proc/self/limits`; see proc_pid_limits(5) */
export function limitIn(limits: string): number | null {
  const soft = /^Max open files\s+(\d+)\s/m.exec(limits)?.[1];
  return soft === undefined ? null : Number(soft);
}
