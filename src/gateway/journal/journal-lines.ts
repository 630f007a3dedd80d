import type { LineKind } from './segment.ts';

const NEWLINE = 0x0a;
const [SETTLED, OPEN_BRACKET, COMMA, CLOSE_BRACKET] = [0x53, 0x5b, 0x2c, 0x5d];
/** Every record starts `{"event_id":"<36 characters>"`. */
const EVENT_ID_START = '{"event_id":"'.length + 1;
const EVENT_ID_END = EVENT_ID_START + 36;
const commonNumber = /^\{"common":(\d+)/;

/**
 * The settle records among whole journal lines, as one JSON array; null where there is none. It is made in place, of the bytes
 * of `lines`: the records of a busy second are megabytes that need not become strings.
 */
export function settledRowsJson(lines: Buffer): Buffer | null {
  let length = 0;
  for (let start = 0; start < lines.length;) {
    const end = lines.indexOf(NEWLINE, start);
    if (lines[start] === SETTLED) {
      lines.copyWithin(length, start, end);
      // The mark of each line becomes what stands before its record.
      lines[length] = length === 0 ? OPEN_BRACKET : COMMA;
      length += end - start;
    }
    start = end + 1;
  }
  if (length === 0) return null;
  // The newline of the last record, or of a line behind it, has left room.
  lines[length] = CLOSE_BRACKET;
  return lines.subarray(0, length + 1);
}

/** Calls back for each whole line. `id`: of a begin or settle its event's, of what they have in common its number. */
export function eachLine(lines: Buffer, visit: (kind: LineKind, id: string, record: string) => void): void {
  for (let start = 0; start < lines.length;) {
    const end = lines.indexOf(NEWLINE, start);
    const line = lines.toString('utf8', start, end);
    const record = line.slice(1);
    if (line.startsWith('C')) visit('C', commonNumber.exec(record)?.[1] ?? '', record);
    else visit(line.startsWith('S') ? 'S' : 'B', line.slice(EVENT_ID_START, EVENT_ID_END), record);
    start = end + 1;
  }
}
