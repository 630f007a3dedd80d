import { addCommon } from './common-members.ts';
import type { LineKind } from './segment.ts';

const NEWLINE = 0x0a;
const [SETTLED, COMMON, OPEN_BRACKET, COMMA, CLOSE_BRACKET, ZERO] = [0x53, 0x43, 0x5b, 0x2c, 0x5d, 0x30];
/** Every record starts `{"event_id":"<36 characters>"`. */
const EVENT_ID_START = '{"event_id":"'.length + 1;
const EVENT_ID_END = EVENT_ID_START + 36;
/** Followed, in a line with shared members, by these. */
const OF_KEY = ',"of_key":';
/** Named before targets had their name, and read in journals of earlier versions: the members of the target and the request. */
const OF_ROUTE = ',"of_route":';
const OF_KEY_AT = EVENT_ID_END + 1;
/** No other member starts like this. */
const [MARK_AT, MARK] = [',"'.length, 0x6f];

/** The references of a line to shared members, which follow its event id. */
export function references(ofKey: number, ofRoute: number): string {
  return `${OF_KEY}${ofKey}${OF_ROUTE}${ofRoute}`;
}

/** Settle records, and the members that they refer to by `of_key` and `of_route`, each as one JSON array. */
export interface SettledRows {
  readonly rows: Buffer;
  readonly commons: string;
}

/**
 * Extracts the settle records from complete journal lines; null for none. They are joined in place, in the bytes of
 * `lines`: the records of a busy second are megabytes that need not become strings.
 * @param commons shared members of the segment so far, by number; new ones are added
 */
export function settledRows(lines: Buffer, commons: Map<number, string>): SettledRows | null {
  const used = new Set<number>();
  let length = 0;
  for (let start = 0; start < lines.length;) {
    const end = lines.indexOf(NEWLINE, start);
    if (lines[start] === COMMON) addValidCommon(commons, lines.toString('utf8', start + 1, end));
    if (lines[start] === SETTLED) {
      addReferences(lines, start + OF_KEY_AT, used);
      lines.copyWithin(length, start, end);
      // The mark of each line is replaced by the separator before its record.
      lines[length] = length === 0 ? OPEN_BRACKET : COMMA;
      length += end - start;
    }
    start = end + 1;
  }
  if (length === 0) return null;
  // The newline of the last record, or of a later line, leaves room.
  lines[length] = CLOSE_BRACKET;
  const known = [...used].flatMap((number) => commons.get(number) ?? []);
  return { rows: lines.subarray(0, length + 1), commons: `[${known.join(',')}]` };
}

/** Skips corrupt members: records that refer to them cannot be stored, and each is reported. */
function addValidCommon(commons: Map<number, string>, record: string): void {
  try {
    addCommon(commons, record);
  } catch {}
}

/** @param at the offset of the references, if there are any */
function addReferences(lines: Buffer, at: number, used: Set<number>): void {
  if (lines[at + MARK_AT] !== MARK) return;
  let next = at + OF_KEY.length;
  for (const separatorBytes of [OF_ROUTE.length, 0]) {
    let number = 0;
    for (let digit = digitAt(lines, next); digit >= 0; digit = digitAt(lines, ++next)) number = number * 10 + digit;
    used.add(number);
    next += separatorBytes;
  }
}

/** -1 for any other character. */
function digitAt(lines: Buffer, at: number): number {
  const digit = (lines[at] ?? 0) - ZERO;
  return digit >= 0 && digit <= 9 ? digit : -1;
}

const kinds: readonly LineKind[] = ['B', 'S', 'W', 'C'];

/** Visits each complete line. `id`: its event id, if it has one. */
export function eachLine(lines: Buffer, visit: (kind: LineKind, id: string, record: string) => void): void {
  for (let start = 0; start < lines.length;) {
    const end = lines.indexOf(NEWLINE, start);
    const line = lines.toString('utf8', start, end);
    const record = line.slice(1);
    const kind = kinds.find((each) => line.startsWith(each)) ?? 'B';
    visit(kind, line.slice(EVENT_ID_START, EVENT_ID_END), record);
    start = end + 1;
  }
}
