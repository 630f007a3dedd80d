import type { ApolloServerPlugin } from '@apollo/server';
import { newEventIds } from '../gateway/event-id.ts';
import { currentAuditContext } from '../services/audit/audit-context.ts';
import type { GraphqlContext } from './context.ts';

const ids = new WeakMap<object, string>();

/** Gives each operation over HTTP an id, which its answer, the log of its failure and the audit log tell: one finds the other by it. */
export const requestIds: ApolloServerPlugin<GraphqlContext> = {
  requestDidStart: async ({ response }) => {
    const requestId = currentAuditContext().requestId ?? newEventIds().requestId;
    response.http.headers.set('x-request-id', requestId);
    return {
      didEncounterErrors: async ({ errors }) => {
        for (const error of errors) ids.set(error, requestId);
      },
    };
  },
};

/** Of the operation that an error ended; undefined where it had none, as over WebSocket. */
export function requestIdOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null ? ids.get(error) : undefined;
}
