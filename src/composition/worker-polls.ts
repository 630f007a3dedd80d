import type { PollName, SharedPolls } from '../database/polls/shared-polls.ts';
import type { Channel, ChannelHandlers } from '../workers/channel-handlers.ts';
import type { GroupMember, WorkerGroup } from '../workers/worker-group.ts';

/** To a worker: null makes it the leader, a name announces a change that the leader found. To the supervisor: the latter. */
type PollNotice = PollName | null;

/** In the supervisor: names the worker that polls the database for all, another one when it ends, and passes on what it finds. */
export function sharePolls(group: WorkerGroup): void {
  const ready = new Set<GroupMember>();
  let leader: GroupMember | null = null;
  const appoint = (): void => {
    const [next] = ready;
    if (leader !== null || next === undefined) return;
    leader = next;
    next.channel.post('polls', null);
  };
  group.onReady((member) => {
    ready.add(member);
    appoint();
  });
  group.onLeft((member) => {
    ready.delete(member);
    if (leader === member) leader = null;
    appoint();
  });
  group.handlers.onPost('polls', (name: PollName, from) => group.broadcast('polls', name, from));
}

/** In a worker. */
export function workerPolls(channel: Channel, handlers: ChannelHandlers): SharedPolls {
  const listeners: { readonly poll: PollName; readonly listener: () => void }[] = [];
  let isLeader = false;
  handlers.onPost('polls', (notice: PollNotice) => {
    if (notice === null) isLeader = true;
    else for (const { poll, listener } of listeners) if (poll === notice) listener();
  });
  return {
    get isLeader() {
      return isLeader;
    },
    announce: (poll) => {
      if (isLeader) channel.post('polls', poll);
    },
    onAnnounced: (poll, listener) => void listeners.push({ poll, listener }),
  };
}
