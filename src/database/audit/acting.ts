import { AsyncLocalStorage } from 'node:async_hooks';
import type { ActorKind } from '../entities/audit-entry.entity.ts';

/** Who does something, for the audit log. */
export interface Actor {
  readonly kind: ActorKind;
  /** Of an API key: the member whom it stands for. */
  readonly userId: string | null;
  readonly apiKeyId: string | null;
  /** An e-mail address, a key's name, a job's: what people know the actor by. */
  readonly label: string;
}

/** From where. */
export interface Origin {
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
}

export interface Acting extends Origin {
  readonly actor: Actor;
}

const MAX_USER_AGENT_LENGTH = 500;
const nowhere: Origin = { address: null, userAgent: null, requestId: null };

export const nobody: Actor = { kind: 'anonymous', userId: null, apiKeyId: null, label: 'not signed in' };
/** What the process does by itself. */
const theServer: Acting = { ...nowhere, actor: { kind: 'server', userId: null, apiKeyId: null, label: 'server' } };

const storage = new AsyncLocalStorage<{ acting: Acting }>();

/** All that `work` changes is told as done by this actor, from there. Whoever lets requests or jobs in calls it. */
export function runAs<T>(actor: Actor, origin: Partial<Origin>, work: () => T): T {
  const userAgent = origin.userAgent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null;
  return storage.run({ acting: { ...nowhere, ...origin, userAgent, actor } }, work);
}

/** From here on in this request it is known who acts. Nothing where there is no request. */
export function actAs(actor: Actor): void {
  const store = storage.getStore();
  if (store !== undefined) store.acting = { ...store.acting, actor };
}

export function acting(): Acting {
  return storage.getStore()?.acting ?? theServer;
}

export function userActor(userId: string, email: string): Actor {
  return { kind: 'user', userId, apiKeyId: null, label: email };
}
