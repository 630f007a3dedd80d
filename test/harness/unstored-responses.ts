import { expect } from 'vitest';
import type { ResponseRouteDependencies } from '../../src/rest/responses/route-dependencies.ts';

const unreached = (): never => expect.fail('nothing that is stored is asked for');

/** The routes of responses without a database, for requests with `store: false`. */
export function unstoredResponses(made: Pick<ResponseRouteDependencies, 'limits' | 'pipeline' | 'idempotency'>): {
  responses: ResponseRouteDependencies;
} {
  const { limits, pipeline, idempotency } = made;
  return {
    responses: {
      limits,
      pipeline,
      idempotency,
      keys: { onRevoked: unreached },
      access: { reachOf: unreached },
      objects: { find: unreached, record: unreached, forget: unreached },
      conversations: { content: unreached, addSoon: unreached },
      connections: { connection: unreached },
      earlier: { needs: () => false, resolve: unreached, conversation: unreached },
      runs: { start: async () => ({ id: 'resp_1', status: 'queued' }), cancel: unreached },
      responses: {
        storeSoon: unreached,
        get: unreached,
        watch: unreached,
        remove: unreached,
        requestCancel: unreached,
        ended: unreached,
      },
    },
  };
}
