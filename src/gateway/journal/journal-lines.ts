import { addCommon } from './common-members.ts';
import type { LineKind } from './segment.ts';

const NEWLINE = 0x0a;
const [SETTLED, COMMON, OPEN_BRACKET, COMMA, CLOSE_BRACKET, ZERO] = [0x53, 0x43, 0x5b, 0x2c, 0x5d, 0x30];
/** Every record starts `{"event_id":"<36 characters>"`. */
const EVENT_ID_START = '{"event_id":"'.length + 1;
const EVENT_ID_END = EVENT_ID_START + 36;
/** And one that refers to what it has in common with others goes on so. */
const OF_KEY = ',"of_key":';
const OF_ROUTE = ',"of_route":';
const OF_KEY_AT = EVENT_ID_END + 1;
/** No other member begins so. */
const [MARK_AT, MARK] = [',"'.length, 0x6f];

/** What a line says that it has in common with others, behind its event. */
export function references(ofKey: number, ofRoute: number): string {
  return `${OF_KEY}${ofKey}${OF_ROUTE}${ofRoute}`;
}

/** Settle records, and what they refer to by `of_key` and `of_route`, each as one JSON array. */
export interface SettledRows {
  readonly rows: Buffer;
  readonly commons: string;
}

/**
 * The settle records among whole journal lines; null where there is none. They are put together in place, of the bytes of
 * `lines`: the records of a busy second are megabytes that need not become strings.
 * @param commons what was said to be common before them in their segment, by number; what they say is added
 */
export function settledRows(lines: Buffer, commons: Map<number, string>): SettledRows | null {
  const used = new Set<number>();
  let length = 0;
  for (let start = 0; start < lines.length;) {
    const end = lines.indexOf(NEWLINE, start);
    if (lines[start] === COMMON) takeUnspoilt(commons, lines.toString('utf8', start + 1, end));
    if (lines[start] === SETTLED) {
      addReferences(lines, start + OF_KEY_AT, used);
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
  const known = [...used].flatMap((number) => commons.get(number) ?? []);
  return { rows: lines.subarray(0, length + 1), commons: `[${known.join(',')}]` };
}

/** Without what is spoilt: records that refer to it cannot be stored, each of which is told. */
function takeUnspoilt(commons: Map<number, string>, record: string): void {
  try {
    addCommon(commons, record);
  } catch {}
}

/** @param at where they are, if there are any */
function addReferences(lines: Buffer, at: number, used: Set<number>): void {
  if (lines[at + MARK_AT] !== MARK) return;
  let next = at + OF_KEY.length;
  for (const behind of [OF_ROUTE.length, 0]) {
    let number = 0;
    for (let digit = digitAt(lines, next); digit >= 0; digit = digitAt(lines, ++next)) number = number * 10 + digit;
    used.add(number);
    next += behind;
  }
}

/** -1 for what is none. */
function digitAt(lines: Buffer, at: number): number {
  const digit = (lines[at] ?? 0) - ZERO;
  return digit >= 0 && digit <= 9 ? digit : -1;
}

/** Calls back for each whole line. `id`: its event's, where it has one. */
export function eachLine(lines: Buffer, visit: (kind: LineKind, id: string, record: string) => void): void {
  for (let start = 0; start < lines.length;) {
    const end = lines.indexOf(NEWLINE, start);
    const line = lines.toString('utf8', start, end);
    const record = line.slice(1);
    const kind = line.startsWith('C') ? 'C' : line.startsWith('S') ? 'S' : 'B';
    visit(kind, line.slice(EVENT_ID_START, EVENT_ID_END), record);
    start = end + 1;
  }
}
