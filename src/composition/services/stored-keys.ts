import { SluiceError } from '../../errors/index.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import type { Callers } from '../../services/authorization/callers.ts';
import type { WiredGateway } from '../gateway/wire-gateway.ts';

/** Who created what runs later. */
export interface KeyOwner {
  /** The key's UUID. */
  readonly id: string;
  readonly accountId: string;
  readonly memberId: string | null;
  /** Whether it was a session of the dashboard, which has no key. */
  readonly isBySession: boolean;
}

export interface StoredKeys {
  /** @throws SluiceError invalid_api_key | expired_api_key | account_deleted | forbidden | database_unavailable */
  find(owner: KeyOwner): Promise<KeyRecord>;
  /** The key that what has run already is billed to, also after its end. @throws SluiceError account_deleted | database_unavailable */
  findBilled(owner: KeyOwner): Promise<KeyRecord>;
}

/** The current keys of what runs later, with the connections and budgets of their accounts. */
export function storedKeys(gateway: WiredGateway, callers: Callers): StoredKeys {
  const { directory } = gateway.keys;
  const { accounts, budgets } = gateway;
  const prepared = async (key: KeyRecord): Promise<KeyRecord> => {
    await accounts.connections.ready(key.accountId);
    return budgets.cache.of(key);
  };
  const find = async ({ id, accountId, memberId, isBySession }: KeyOwner): Promise<KeyRecord> => {
    const key = isBySession
      ? await directory.dashboardKey(accountId, memberId)
      : await directory.storedKey({ id, accountId, memberId });
    // A member who has left has no role.
    if (isBySession) await callers.reachOf(key, 'completions.run');
    else if (!key.scopes.has('inference'))
      throw new SluiceError('insufficient_scope', { values: { scope: 'inference' } });
    return prepared(key);
  };
  return {
    find,
    findBilled: async (owner) => {
      try {
        return { ...(await find(owner)), expiresAt: null };
      } catch (error) {
        if (error instanceof SluiceError && error.code === 'database_unavailable') throw error;
        // The key has ended: what it has spent still counts for it.
        const account = await directory.dashboardKey(owner.accountId);
        const { id, memberId } = owner;
        return prepared({ ...account, id, memberId, credential: 'secret', expiresAt: null });
      }
    },
  };
}
