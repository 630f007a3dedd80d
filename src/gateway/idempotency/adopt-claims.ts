import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import { ClaimLog } from './claim-log.ts';
import { readOwners, recordOwner } from './claim-owners.ts';
import { CLAIM_MS, ClaimTable } from './claim-table.ts';
import { ANSWERS } from './sealed-answers.ts';

/**
 * Moves the idempotency keys of a process that does not run any more to those of another one. Call it before they are opened.
 * A key that both have stays as the other one has it.
 * @throws where they cannot be written: then the folder stays
 */
export function adoptClaims(from: string, into: string, clock: Clock = systemClock): void {
  if (!existsSync(from)) return;
  const left = new ClaimTable<never>(clock);
  new ClaimLog(from, clock, (line) => left.recover(line)).close();
  const own = new ClaimTable<never>(clock);
  const log = new ClaimLog(into, clock, (line) => own.recover(line));
  const failures: Error[] = [];
  const waiter = { onDurable: () => undefined, onJournalFailure: (error: Error) => void failures.push(error) };
  mkdirSync(join(into, ANSWERS), { recursive: true, mode: 0o700 });
  for (const { scope, accountId, fingerprint, state, bytes, leftMs } of left.recovered()) {
    if (own.get(scope) !== undefined) continue;
    const claimedAt = Math.round(clock.now() - (CLAIM_MS - leftMs));
    log.append('C', scope, [fingerprint, claimedAt.toString(36), accountId], waiter);
    if (state === 'not kept') log.append('N', scope, [], null);
    if (state !== 'kept') continue;
    const answer = join(from, ANSWERS, scope);
    // It may have been moved before a start that did not end.
    if (existsSync(answer)) renameSync(answer, join(into, ANSWERS, scope));
    log.append('K', scope, [String(bytes)], null);
  }
  for (const owner of readOwners(from)) recordOwner(into, owner, clock);
  log.close();
  if (failures[0]) throw failures[0];
  rmSync(from, { recursive: true });
}
