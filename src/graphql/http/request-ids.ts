import type { ApolloServerPlugin } from '@apollo/server';
import { newEventIds } from '../../gateway/event-id.ts';
import { currentAuditContext } from '../../services/audit/audit-context.ts';
import type { GraphqlContext } from '../operation/context.ts';

const ids = new WeakMap<object, string>();

/** Assigns each operation over HTTP a request ID for its response, the error log and the audit log. */
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

/** Request ID of the operation that failed with this error; undefined over WebSocket. */
export function requestIdOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null ? ids.get(error) : undefined;
}
