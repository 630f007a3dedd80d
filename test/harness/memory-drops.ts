import type { DropLog } from '../../src/gateway/content/content-log.ts';

/** Keeps which content was dropped. */
export class MemoryDrops implements DropLog {
  readonly eventIds: string[] = [];

  add(eventId: string): void {
    this.eventIds.push(eventId);
  }

  async flush(): Promise<void> {}
}
