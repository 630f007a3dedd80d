import { isObject, type JsonObject } from './json-members.ts';
import type { StreamObserver } from './protocol.ts';
import type { ReportedError } from './reported-error.ts';

/** Observes server-sent events one by one, up to an error. */
export abstract class EventObserver implements Pick<StreamObserver, 'observe'> {
  error: ReportedError | null = null;

  observe(events: string): void {
    for (let start = 0; start < events.length && this.error === null;) {
      const blank = events.indexOf('\n\n', start);
      const end = blank < 0 ? events.length : blank + 2;
      this.observeEvent(events.slice(start, end));
      start = end;
    }
  }

  /** @param event Latin-1, with its blank line */
  protected abstract observeEvent(event: string): void;
}

/** The data of an event; no members where it is no object. @param event Latin-1 */
export function dataOf(event: string): JsonObject {
  const lines = event.split('\n').filter((line) => line.startsWith('data:'));
  const text = lines.map((line) => line.slice('data:'.length)).join('\n');
  try {
    const data: unknown = JSON.parse(Buffer.from(text, 'latin1').toString());
    return isObject(data) ? data : {};
  } catch {
    return {};
  }
}
