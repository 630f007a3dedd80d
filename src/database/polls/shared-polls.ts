export const pollNames = ['changes', 'connections', 'budgets'] as const;

export type PollName = (typeof pollNames)[number];

/** What a poll of the leader means for the other workers. */
export type PollOutcome =
  /** It has found a change, which they read, too. */
  | 'changed'
  /** It has read everything. Until the next one is due, they need not poll. */
  | 'completed';

/** How the workers of a machine share polls of the database: one of them polls often, and has the others poll when it finds something. */
export interface SharedPolls {
  /** Whether this process polls as often as the interval says. The others do so only while the leader completes no poll. */
  readonly isLeader: boolean;
  /** Has an effect in the leader only. */
  announce(poll: PollName, outcome: PollOutcome): void;
  onAnnounced(poll: PollName, listener: (outcome: PollOutcome) => void): void;
}

/** Of a process without others on its machine. */
export const unsharedPolls: SharedPolls = {
  isLeader: true,
  announce: () => undefined,
  onAnnounced: () => undefined,
};
