import { existsSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import { MAX_SHARED_BYTES } from './claim-answers.ts';
import { ClaimLog } from './claim-log.ts';
import { readOwners } from './claim-owners.ts';
import { ClaimTable } from './claim-table.ts';
import { ANSWERS } from './sealed-answers.ts';
import type { AbandonedClaims, RecoveredClaim } from './shared-claims.ts';

const MAX_CONCURRENT = 16;

/**
 * Ends the claims of a process that does not run any more in the shared store, as its folder has them: responses that were not
 * published yet can be replayed then, and requests without an end count as interrupted at once. Then removes the folder, which no process
 * has open. It can be repeated.
 * @returns how many had no end there
 * @throws where the shared store is unavailable: the folder remains
 */
export async function settleAbandoned(
  folder: string,
  shared: AbandonedClaims,
  clock: Clock = systemClock,
): Promise<number> {
  if (!existsSync(folder)) return 0;
  const owners = readOwners(folder);
  const table = new ClaimTable<never>(clock);
  new ClaimLog(folder, clock, (line) => table.recover(line)).close();
  const waiting = table.recovered();
  let settled = 0;
  const next = async (): Promise<void> => {
    for (let claim = waiting.pop(); claim !== undefined; claim = waiting.pop())
      if (await settle(folder, shared, owners, claim)) settled++;
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, next));
  rmSync(folder, { recursive: true });
  return settled;
}

async function settle(
  folder: string,
  shared: AbandonedClaims,
  owners: ReadonlySet<string>,
  { scope, state, bytes }: RecoveredClaim,
): Promise<boolean> {
  const isShared = state === 'kept' && bytes <= MAX_SHARED_BYTES;
  const answer = isShared ? await readFile(join(folder, ANSWERS, scope)).catch(() => null) : null;
  return shared.settle(owners, scope, state === 'kept' && answer === null ? 'not kept' : state, answer);
}
