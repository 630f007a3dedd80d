export type PollName = 'changes' | 'connections' | 'budgets';

/** How the workers of a machine share polls of the database: one of them polls often, and has the others poll when it finds something. */
export interface SharedPolls {
  /** Whether this process polls as often as the interval says. The others poll more rarely without an announcement. */
  readonly isLeader: boolean;
  /** A poll found a change. Has an effect in the leader only. */
  announce(poll: PollName): void;
  onAnnounced(poll: PollName, listener: () => void): void;
}

/** Of a process without others on its machine. */
export const unsharedPolls: SharedPolls = {
  isLeader: true,
  announce: () => undefined,
  onAnnounced: () => undefined,
};
