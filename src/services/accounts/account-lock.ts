import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Account, Membership } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';

/** Serializes membership changes of an account: otherwise two owners could leave concurrently. @throws SluiceError not_found */
export async function lockAccount(em: EntityManager, accountId: string): Promise<Account> {
  const account = await em.findOne(
    Account,
    { id: accountId, erasedAt: null },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  );
  if (account === null) throw new SluiceError('not_found', { values: { what: 'account' } });
  return account;
}

/** Requires another owner. @throws SluiceError last_owner */
export async function requireOtherOwner(em: EntityManager, leaving: Membership): Promise<void> {
  if (leaving.role !== 'owner') return;
  const others = await em.count(Membership, { account: leaving.account, role: 'owner', id: { $ne: leaving.id } });
  if (others === 0) throw new SluiceError('last_owner');
}
