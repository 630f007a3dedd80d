import type { BusNotice, BusUpdate } from '../live/workers/bus-messages.ts';
import { BusServer, type BusSession } from '../live/workers/bus-server.ts';
import type { BusMessages } from '../live/workers/worker-live-bus.ts';
import type { Channel, ChannelHandlers } from '../workers/channel-handlers.ts';
import type { WorkerGroup } from '../workers/worker-group.ts';

/** In the supervisor: passes live events on between workers. */
export function shareLive(group: WorkerGroup, server = new BusServer()): void {
  const sessions = new Map<Channel, BusSession>();
  /** Null for a worker that has ended: its last messages may arrive after that. */
  const sessionOf = (from: Channel): BusSession | null => {
    const known = sessions.get(from);
    if (known !== undefined) return known;
    if (group.memberOf(from) === undefined) return null;
    const session = server.join({ post: (update, sent) => from.post('live', update, sent) });
    sessions.set(from, session);
    return session;
  };
  group.handlers.onPost('live', (notice: BusNotice, from) => {
    const session = sessionOf(from);
    if (session !== null) server.handle(session, notice);
  });
  group.onLeft(({ channel }) => {
    const session = sessions.get(channel);
    if (session === undefined) return;
    sessions.delete(channel);
    server.leave(session);
  });
}

/** In a worker: its way to the live events of the others. */
export function busMessages(channel: Channel, handlers: ChannelHandlers): BusMessages {
  return {
    post: (notice, sent) => channel.post('live', notice, sent),
    onUpdate: (listener) => handlers.onPost('live', (update: BusUpdate) => listener(update)),
  };
}
