import { isObject, type JsonObject } from './json-members.ts';
import type { StreamObserver } from './protocol.ts';
import type { ReportedError } from './reported-error.ts';

const DATA = 'data:';
const BLANK = '\n\n';
const CRLF_BLANK = '\r\n\r\n';

/** Observes server-sent events one by one, up to an error. */
export abstract class EventObserver implements Pick<StreamObserver, 'observe'> {
  error: ReportedError | null = null;

  observe(events: string): void {
    const mark = events.includes(CRLF_BLANK) ? CRLF_BLANK : BLANK;
    // Some servers mix both.
    const text = mark === CRLF_BLANK && events.includes(BLANK) ? events.replaceAll('\r\n', '\n') : events;
    this.observeEvents(text, text === events ? mark : BLANK);
  }

  /** @param text whole events, Latin-1, with their line ends @param blank the blank line after each */
  protected observeEvents(text: string, blank: string): void {
    for (let start = 0; start < text.length && this.error === null;) {
      const end = eventEnd(text, blank, start);
      this.observeEvent(text.slice(start, end));
      start = end;
    }
  }

  /** @param event Latin-1, with its line ends and its blank line */
  protected abstract observeEvent(event: string): void;
}

export function eventEnd(text: string, blank: string, start: number): number {
  const found = text.indexOf(blank, start);
  return found < 0 ? text.length : found + blank.length;
}

/** As `startsWith`, which costs several times as much for a few characters. */
export function startsAt(text: string, word: string, at: number): boolean {
  for (let index = 0; index < word.length; index++)
    if (text.charCodeAt(at + index) !== word.charCodeAt(index)) return false;
  return true;
}

/** The data of an event; no members where it is no object. @param event Latin-1 */
export function dataOf(event: string): JsonObject {
  try {
    const text = dataText(event);
    const isAscii = Buffer.byteLength(text) === text.length;
    const data: unknown = JSON.parse(isAscii ? text : Buffer.from(text, 'latin1').toString());
    return isObject(data) ? data : {};
  } catch {
    return {};
  }
}

function dataText(event: string): string {
  const first = event.startsWith(DATA) ? 0 : event.indexOf(`\n${DATA}`) + 1;
  if (first === 0 && !event.startsWith(DATA)) return '';
  const start = first + DATA.length;
  // Nearly every event has one line of data.
  if (!event.includes(`\n${DATA}`, start)) return event.slice(start, lineEnd(event, start));
  const lines = event.split('\n').filter((line) => line.startsWith(DATA));
  return lines.map((line) => line.slice(DATA.length)).join('\n');
}

function lineEnd(text: string, start: number): number {
  const found = text.indexOf('\n', start);
  return found < 0 ? text.length : found;
}
