/** Carries events between processes, in the order in which each of them publishes. Nothing is kept for later. */
export interface LiveBus {
  /** Whether another process listens to a topic: nothing need be published where none does. */
  wanted(topic: string): boolean;
  publish(topic: string, message: string): void;
  /** Hears what other processes publish, until it is called off. @returns calls it off */
  listen(topic: string, listener: BusListener): () => void;
}

export interface BusListener {
  heard(message: string): void;
  /** Some were missed. */
  lost(): void;
}

interface WrittenBigint {
  readonly $bigint: string;
}

/** An event as text: JSON, with whole numbers of any size. */
export function writeEvent(event: unknown): string {
  return JSON.stringify(event, (_name, value: unknown) =>
    typeof value === 'bigint' ? ({ $bigint: String(value) } satisfies WrittenBigint) : value,
  );
}

/** What `writeEvent` wrote: another process of the same release, which is believed. */
export function readEvent<T>(text: string): T {
  const event: T = JSON.parse(text, (_name, value: unknown) =>
    isWrittenBigint(value) ? BigInt(value.$bigint) : value,
  );
  return event;
}

function isWrittenBigint(value: unknown): value is WrittenBigint {
  return typeof value === 'object' && value !== null && '$bigint' in value && typeof value.$bigint === 'string';
}
