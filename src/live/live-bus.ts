/** Publishes events between processes, in order per publisher. Events are not stored. */
export interface LiveBus {
  /** Whether another process subscribes to the topic; without one, publishing is unnecessary. */
  hasSubscribers(topic: string): boolean;
  publish(topic: string, message: string): void;
  /** Receives events of other processes. @returns unsubscribes */
  listen(topic: string, listener: BusListener): () => void;
}

export interface BusListener {
  onMessage(message: string): void;
  /** Messages were lost. */
  onLoss(): void;
}

interface EncodedBigint {
  readonly $bigint: string;
}

/** JSON with support for bigint. */
export function encodeEvent(event: unknown): string {
  return JSON.stringify(event, (_name, value: unknown) =>
    typeof value === 'bigint' ? ({ $bigint: String(value) } satisfies EncodedBigint) : value,
  );
}

/** Decodes the output of `encodeEvent`. Not validated: it comes from a process of the same release. */
export function decodeEvent<T>(text: string): T {
  const event: T = JSON.parse(text, (_name, value: unknown) =>
    isEncodedBigint(value) ? BigInt(value.$bigint) : value,
  );
  return event;
}

function isEncodedBigint(value: unknown): value is EncodedBigint {
  return typeof value === 'object' && value !== null && '$bigint' in value && typeof value.$bigint === 'string';
}
