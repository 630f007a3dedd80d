import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../calendar/clock.ts';
import { CLAIM_MS } from './claim-table.ts';

const OWNERS = 'owners';

/**
 * Records in the folder of claims under which name its process claims keys in the shared store. Once the folder is locked by another
 * process, claims of these names are of no process any more. Names older than a claim are removed.
 */
export function recordOwner(folder: string, owner: string, clock: Pick<Clock, 'now'>): void {
  const now = clock.now();
  const lines = [...read(folder).filter(([, time]) => now - time < CLAIM_MS), [owner, now] as const];
  const draft = join(folder, `${OWNERS}.incoming`);
  writeFileSync(draft, lines.map(([name, time]) => `${name} ${time}\n`).join(''), { mode: 0o600, flush: true });
  renameSync(draft, join(folder, OWNERS));
}

export function readOwners(folder: string): ReadonlySet<string> {
  return new Set(read(folder).map(([name]) => name));
}

function read(folder: string): (readonly [name: string, time: number])[] {
  const path = join(folder, OWNERS);
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, name, time] = /^([\w-]+) (\d+)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, Number(time)] as const];
    });
}
