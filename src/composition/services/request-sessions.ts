import type { Database } from '../../database/database.ts';
import { ObjectChanges } from '../../live/object-changes.ts';
import { RequestSessions } from '../../services/usage/sessions/request-sessions.ts';
import { SessionWatcher } from '../../services/usage/sessions/session-watcher.ts';
import type { WiredGateway } from '../gateway/wire-gateway.ts';

export interface WiredRequestSessions {
  readonly service: RequestSessions;
  readonly watcher: SessionWatcher;
}

/** Wires sessions of requests, whose changes are announced when their usage is stored. */
export function wireRequestSessions(database: Database, { redis, usageStore }: WiredGateway): WiredRequestSessions {
  const changes = new ObjectChanges({ kind: 'sessions', bus: redis.bus });
  usageStore.onSessions = (stored) => {
    for (const { accountId, sessionId } of stored) changes.changed(accountId, sessionId);
  };
  const service = new RequestSessions(database);
  return { service, watcher: new SessionWatcher(service, changes) };
}
