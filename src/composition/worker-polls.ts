import { pollNames, type PollName, type PollOutcome, type SharedPolls } from '../database/polls/shared-polls.ts';
import type { Channel, ChannelHandlers } from '../workers/channel-handlers.ts';
import type { GroupMember, WorkerGroup } from '../workers/worker-group.ts';

/** To a worker: null makes it the leader, others are announcements of the leader. To the supervisor: the latter. */
type PollNotice = PollAnnouncement | null;
type PollAnnouncement = readonly [PollName, PollOutcome];

/** A process that reads no messages receives no more of those that are repeated anyway, so that they do not accumulate. */
const MAX_UNSENT = 100;

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
  group.handlers.onPost('polls', (announcement: PollAnnouncement, from) => {
    for (const { channel } of group.members) if (channel !== from) post(channel, announcement);
  });
}

/** In a worker. */
export function workerPolls(channel: Channel, handlers: ChannelHandlers): SharedPolls {
  const listeners: { readonly poll: PollName; readonly listener: (outcome: PollOutcome) => void }[] = [];
  let isLeader = false;
  handlers.onPost('polls', (notice: PollNotice) => {
    if (notice === null) {
      isLeader = true;
      // Those that it has found itself before, and the previous leader has not announced.
      for (const name of pollNames) post(channel, [name, 'changed']);
      return;
    }
    const [name, outcome] = notice;
    for (const { poll, listener } of listeners) if (poll === name) listener(outcome);
  });
  return {
    get isLeader() {
      return isLeader;
    },
    announce: (poll, outcome) => {
      if (isLeader) post(channel, [poll, outcome]);
    },
    onAnnounced: (poll, listener) => void listeners.push({ poll, listener }),
  };
}

function post(channel: Channel, announcement: PollAnnouncement): void {
  if (announcement[1] === 'changed' || channel.unsent < MAX_UNSENT) channel.post('polls', announcement);
}
