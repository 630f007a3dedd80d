import { ChannelHandlers, type Channel, type ChannelName } from './channel-handlers.ts';
import { PeerChannel, type Peer } from './peer-channel.ts';

/** A running worker, as the supervisor sees it. */
export interface GroupMember {
  /** From 0. A worker that replaces another has its slot, and with it its folder. */
  readonly slot: number;
  readonly channel: Channel;
}

type MemberListener = (member: GroupMember) => void;

/** The running workers of a supervisor, and what it does with their messages. */
export class WorkerGroup {
  readonly handlers = new ChannelHandlers();
  readonly #members = new Map<Channel, GroupMember>();
  readonly #onReady = new Set<MemberListener>();
  readonly #onLeft = new Set<MemberListener>();

  get members(): Iterable<GroupMember> {
    return this.#members.values();
  }

  /** The worker that a message is from. Undefined once it has left. */
  memberOf(channel: Channel): GroupMember | undefined {
    return this.#members.get(channel);
  }

  join(slot: number, peer: Peer): GroupMember {
    const member = { slot, channel: new PeerChannel(peer, this.handlers) };
    this.#members.set(member.channel, member);
    return member;
  }

  /** The worker serves: it has recovered the journal that the previous one in its slot left. */
  ready(member: GroupMember): void {
    for (const listener of this.#onReady) listener(member);
  }

  leave(member: GroupMember): void {
    if (!this.#members.delete(member.channel)) return;
    for (const listener of this.#onLeft) listener(member);
  }

  onReady(listener: MemberListener): void {
    this.#onReady.add(listener);
  }

  onLeft(listener: MemberListener): void {
    this.#onLeft.add(listener);
  }

  /** Posts to all workers but `except`. */
  broadcast(channel: ChannelName, body: unknown, except?: Channel): void {
    for (const { channel: peer } of this.#members.values()) if (peer !== except) peer.post(channel, body);
  }
}
