import { ClaimServer } from '../gateway/idempotency/shared/claim-server.ts';
import type {
  AnswerPlace,
  ClaimMessages,
  ClaimNotice,
  ClaimQuestion,
  ClaimReply,
} from '../gateway/idempotency/shared/claim-operations.ts';
import type { Channel } from '../workers/channel-handlers.ts';
import type { WorkerGroup } from '../workers/worker-group.ts';

/** In the supervisor: holds the idempotency keys of all workers. */
export function shareClaims(group: WorkerGroup, workers: number): void {
  const server = new ClaimServer(workers);
  group.handlers.onRequest('idempotency', (question: ClaimQuestion, from) => {
    const member = group.memberOf(from);
    if (member === undefined) throw new Error('the worker has ended');
    return server.ask(member.slot, question);
  });
  group.handlers.onPost('idempotency', (notice: ClaimNotice, from) => {
    const member = group.memberOf(from);
    if (member !== undefined) server.notice(member.slot, notice);
  });
  group.onLeft(({ slot }) => server.leave(slot));
}

/** In a worker: its way to the idempotency keys of its supervisor. */
export function claimMessages(channel: Channel): ClaimMessages {
  const ask = <Response>(question: ClaimQuestion): Promise<Response> => channel.request('idempotency', question);
  return {
    claim: (scope, fingerprint, accountId) => ask<ClaimReply>(['claim', scope, fingerprint, accountId]),
    answer: (scope) => ask<AnswerPlace>(['answer', scope]),
    post: (notice) => channel.post('idempotency', notice),
  };
}
