import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Distinguishes a process from others with the same pid, later or in another container. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; unique among all processes that ever had this pid. Null where the system does not provide it. */
  readonly startedAt: string | null;
  /** The scope in which pids are comparable: this machine and, on Linux, this pid namespace. */
  readonly realm: string;
}

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, startedAt: processStart(process.pid), realm: ownRealm() };
}

export type Liveness = 'alive' | 'dead' | 'unknown';

/** `unknown`: the process cannot be inspected from here. */
export function liveness(other: ProcessIdentity): Liveness {
  if (other.realm !== ownRealm() || isOfAnotherBoot(other)) return 'unknown';
  if (!pidExists(other.pid)) return 'dead';
  const start = processStart(other.pid);
  if (start === null || other.startedAt === null) return 'alive';
  return start === other.startedAt ? 'alive' : 'dead';
}

/** Machines can have the same name, and pid namespaces the same number: a pid says something only within one boot. */
function isOfAnotherBoot({ startedAt }: ProcessIdentity): boolean {
  const [boot, own] = [bootOf(startedAt), bootOf(processStart(process.pid))];
  return boot !== null && own !== null && boot !== own;
}

function bootOf(startedAt: string | null): string | null {
  const [boot, ticks] = startedAt?.split('/') ?? [];
  return boot === undefined || ticks === undefined ? null : boot;
}

function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Source: proc(5). Field 22 of `stat` counts clock ticks since boot, so it is combined with the boot ID. */
function processStart(pid: number): string | null {
  if (process.platform === 'linux') {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The second field, the command name in parentheses, may itself contain spaces and parentheses.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
      // State is field 3; a zombie holds no files.
      return fields[0] === 'Z' ? 'zombie' : `${boot}/${fields[19]}`;
    } catch {
      return null;
    }
  }
  if (process.platform === 'darwin') {
    try {
      return execFileSync('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
    } catch {
      return null;
    }
  }
  return null;
}

function ownRealm(): string {
  if (process.platform !== 'linux') return hostname();
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}
