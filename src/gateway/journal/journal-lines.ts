import type { LineKind } from './segment.ts';

const NEWLINE = 0x0a;
const SETTLED = 'S'.charCodeAt(0);
/** Every record starts `{"event_id":"<36 characters>"`. */
const EVENT_ID_START = '{"event_id":"'.length + 1;
const EVENT_ID_END = EVENT_ID_START + 36;

/** The settle records among whole journal lines, as one JSON array in text; null where there is none. */
export function settledRowsJson(lines: Buffer): string | null {
  const parts: string[] = [];
  for (let start = 0; start < lines.length;) {
    const end = lines.indexOf(NEWLINE, start);
    if (lines[start] === SETTLED) parts.push(lines.toString('utf8', start + 1, end));
    start = end + 1;
  }
  return parts.length === 0 ? null : `[${parts.join(',')}]`;
}

/** Calls back for each whole line. */
export function eachLine(lines: Buffer, visit: (kind: LineKind, eventId: string, record: string) => void): void {
  for (let start = 0; start < lines.length;) {
    const end = lines.indexOf(NEWLINE, start);
    const line = lines.toString('utf8', start, end);
    visit(line.startsWith('S') ? 'S' : 'B', line.slice(EVENT_ID_START, EVENT_ID_END), line.slice(1));
    start = end + 1;
  }
}
