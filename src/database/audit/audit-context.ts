import { AsyncLocalStorage } from 'node:async_hooks';
import type { ActorKind } from '../entities/audit-entry.entity.ts';

/** Who performs an action, for the audit log. */
export interface Actor {
  readonly kind: ActorKind;
  /** For an API key: the member it acts for. */
  readonly userId: string | null;
  readonly apiKeyId: string | null;
  /** How people know the actor: an e-mail address, or the name of a key or job. */
  readonly label: string;
}

/** Where a request came from. */
export interface Origin {
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
}

export interface AuditContext extends Origin {
  readonly actor: Actor;
}

const MAX_USER_AGENT_LENGTH = 500;
const noOrigin: Origin = { address: null, userAgent: null, requestId: null };

export const nobody: Actor = { kind: 'anonymous', userId: null, apiKeyId: null, label: 'not signed in' };
/** For changes that the process makes itself. */
const serverContext: AuditContext = {
  ...noOrigin,
  actor: { kind: 'server', userId: null, apiKeyId: null, label: 'server' },
};

const storage = new AsyncLocalStorage<{ context: AuditContext }>();

/** Attributes all changes of `work` in the audit log to this actor and origin. Called wherever requests or jobs enter. */
export function runAs<T>(actor: Actor, origin: Partial<Origin>, work: () => T): T {
  const userAgent = origin.userAgent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null;
  return storage.run({ context: { ...noOrigin, ...origin, userAgent, actor } }, work);
}

/** Sets the actor for the rest of this request. No effect outside a request. */
export function actAs(actor: Actor): void {
  const store = storage.getStore();
  if (store !== undefined) store.context = { ...store.context, actor };
}

export function currentAuditContext(): AuditContext {
  return storage.getStore()?.context ?? serverContext;
}

export function userActor(userId: string, email: string): Actor {
  return { kind: 'user', userId, apiKeyId: null, label: email };
}
