/** An event of a topic. */
export type TopicEvent = readonly [topic: string, message: string];

/** What a worker tells the supervisor. */
export type BusNotice =
  /** This worker has started: it learns what others listen to. */
  | readonly [type: 'join']
  | readonly [type: 'listen' | 'unlisten', topic: string]
  /** Events in order. */
  | readonly [type: 'publish', ...events: readonly TopicEvent[]]
  /** Events of these topics were omitted. */
  | readonly [type: 'lost', ...topics: readonly string[]];

/** What the supervisor tells a worker. */
export type BusUpdate =
  /** Whether another worker listens to the topic. */
  | readonly [type: 'wanted' | 'unwanted', ...topics: readonly string[]]
  | readonly [type: 'events', ...events: readonly TopicEvent[]]
  | readonly [type: 'lost', ...topics: readonly string[]];

/** Sends messages to another process, in order. */
export interface BusSender<Message> {
  /** @param sent called when the system has accepted the message, or never will: nothing of it is in memory any more */
  post(message: Message, sent: () => void): void;
}
