import { LimitServer, type LimitServerLog } from '../../gateway/limits/shared/limit-server.ts';
import type { LimitSession } from '../../gateway/limits/shared/limit-session.ts';
import type { LimitMessages, LimitNotice, Operation } from '../../gateway/limits/shared/operations.ts';
import type { Channel, ChannelHandlers } from '../../workers/channel-handlers.ts';
import type { WorkerGroup } from '../../workers/worker-group.ts';

/** In the supervisor: holds the limits and budgets of all workers. */
export function shareLimits(group: WorkerGroup, log: LimitServerLog): void {
  const server = new LimitServer(log);
  const sessions = new Map<Channel, LimitSession>();
  /** Null for a worker that has ended: its last messages may arrive after that. Its successor recovers its journal. */
  const sessionOf = (from: Channel): LimitSession | null => {
    const known = sessions.get(from);
    if (known !== undefined) return known;
    const member = group.memberOf(from);
    if (member === undefined) return null;
    const session = server.join(member.slot, (notice) => from.post('limits', notice));
    sessions.set(from, session);
    return session;
  };
  group.handlers.onRequest('limits', (operations: readonly Operation[], from) => sessionOf(from)?.handle(operations));
  group.handlers.onPost('limits', (operations: readonly Operation[], from) => void sessionOf(from)?.handle(operations));
  group.onLeft(({ channel }) => {
    const session = sessions.get(channel);
    if (session === undefined) return;
    sessions.delete(channel);
    server.leave(session);
  });
}

/** In a worker: its way to the limits of its supervisor. */
export function limitMessages(channel: Channel, handlers: ChannelHandlers): LimitMessages {
  return {
    request: (operations) => channel.request<readonly unknown[]>('limits', operations),
    post: (operations) => channel.post('limits', operations),
    onNotice: (listener) => handlers.onPost('limits', (notice: LimitNotice) => listener(notice)),
  };
}
