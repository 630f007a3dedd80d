import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { childrenOf } from './processes.ts';
import type { SluiceTarget } from './targets.ts';

/** The clients' connections of each worker. Of Linux. */
export function connectionsOf({ pid, url }: Pick<SluiceTarget, 'pid' | 'url'>): number[] {
  const sockets = establishedAt(Number(new URL(url).port));
  return childrenOf(pid).map((worker) => {
    const open = readdirSync(`/proc/${worker}/fd`).map((fd) => linkOf(`/proc/${worker}/fd/${fd}`));
    return open.filter((link) => sockets.has(link)).length;
  });
}

/** How far the connections of a worker are from their mean, at most. */
export function imbalanceOf(counts: readonly number[]): number {
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return Math.max(...counts.map((count) => Math.abs(count - mean))) / mean;
}

/** As links of file descriptors. */
function establishedAt(port: number): ReadonlySet<string> {
  const sockets = new Set<string>();
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6'])
    for (const line of readFileSync(file, 'utf8').split('\n').slice(1)) {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      const isOurs = Number.parseInt(local.split(':')[1] ?? '', 16) === port;
      if (isOurs && state === ESTABLISHED) sockets.add(`socket:[${inode}]`);
    }
  return sockets;
}

const ESTABLISHED = '01';

/** Empty for one that was closed meanwhile. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
