/**
 * Server-sent events of a chat stream as text, each ending with a blank line. Text is Latin-1 over UTF-8, one character per
 * byte: all patterns are ASCII, so that UTF-8 passes unchanged.
 */

/** Returns the event to send; null ends the output. */
export type TransformEvent = (event: string) => string | null;

const [ERROR_MARK, DONE_MARK] = ['rror":', 'DONE]'];

/** The offset after the blank line that ends the event; after the trailing line feeds where only those follow. */
export function eventEnd(text: string, from: number): number {
  const blank = text.indexOf('\n\n', from);
  return blank < 0 ? text.length : blank + 2;
}

/** The joined `data` lines of one event; null for an event that has none. */
export function eventData(event: string): string | null {
  if (event.startsWith('data: ') && event.indexOf('\n') === event.length - 2) return event.slice(6, -2);
  const lines = event.split('\n').filter((line) => line.startsWith('data:'));
  return lines.length === 0 ? null : lines.map((line) => line.slice(line.startsWith('data: ') ? 6 : 5)).join('\n');
}

/** Removes everything before the first event with data. */
export function fromFirstEvent(text: string): string {
  for (let start = 0; start < text.length;) {
    const end = eventEnd(text, start);
    if (eventData(text.slice(start, end)) !== null) return text.slice(start);
    start = end;
  }
  return '';
}

/** The start of the first event that may be an error or the end mark; -1 for none. */
export function firstErrorOrEnd(text: string): number {
  const error = text.indexOf(ERROR_MARK);
  const done = text.indexOf(DONE_MARK);
  const first = error < 0 || (done >= 0 && done < error) ? done : error;
  return first < 0 ? -1 : eventStart(text, first);
}

function eventStart(text: string, within: number): number {
  const blank = text.lastIndexOf('\n\n', within);
  return blank < 0 ? 0 : blank + 2;
}

/** The number of complete events. */
export function countEvents(text: string): number {
  let events = 0;
  for (let at = text.indexOf('\n\n'); at >= 0; at = text.indexOf('\n\n', at + 2)) events++;
  return events;
}

/**
 * Passes each event that contains `pattern` to `transform` and copies all others in runs. `mark` is a part of `pattern` and
 * searched for first: V8 finds up to six characters by their first, a machine word at a time. For longer patterns it
 * builds tables, which is ten times slower where each event almost matches.
 */
export function transformMatching(text: string, transform: TransformEvent, pattern: string, mark: string): string {
  const marked = text.indexOf(mark);
  if (marked < 0) return text;
  let transformed = '';
  let copied = 0;
  for (let found = text.indexOf(pattern, marked - pattern.length); found >= 0;) {
    const before = text.lastIndexOf('\n\n', found);
    const start = before < copied ? copied : before + 2;
    const end = eventEnd(text, found);
    transformed += text.slice(copied, start) + (transform(text.slice(start, end)) ?? '');
    copied = end;
    found = text.indexOf(pattern, end);
  }
  return copied === 0 ? text : transformed + text.slice(copied);
}

/** Passes every event to `transform`. */
export function transformEach(text: string, transform: TransformEvent): string {
  let shown = '';
  for (let start = 0; start < text.length;) {
    const end = eventEnd(text, start);
    const transformed = transform(text.slice(start, end));
    if (transformed === null) return shown;
    shown += transformed;
    start = end;
  }
  return shown;
}

/** How a provider formats the JSON of its chunks: strings that are searched for, instead of parsing each event. */
export interface JsonStyle {
  readonly usageNull: string;
  readonly usageObject: string;
  readonly finishReason: string;
  readonly noFinishReason: string;
  /** A short part of `usageObject` and `finishReason`, for a faster search. */
  readonly usageMark: string;
  readonly finishMark: string;
}

const COMPACT: JsonStyle = {
  usageNull: ',"usage":null',
  usageObject: '"usage":{',
  finishReason: '"finish_reason":"',
  noFinishReason: '"finish_reason":null',
  usageMark: 'ge":{"',
  finishMark: 'son":"',
};

const SPACED: JsonStyle = {
  usageNull: ', "usage": null',
  usageObject: '"usage": {',
  finishReason: '"finish_reason": "',
  noFinishReason: '"finish_reason": null',
  usageMark: 'e": {"',
  finishMark: 'n": "',
};

/** The style of a chunk; null where each event has to be parsed. */
export function jsonStyleOf(data: string): JsonStyle | null {
  if (data.includes('"choices":[')) return COMPACT;
  return data.includes('"choices": [') ? SPACED : null;
}

/** The last finish reason of complete events; null for none. */
export function lastFinishReason(text: string, { finishMark, finishReason }: JsonStyle): string | null {
  if (!text.includes(finishMark)) return null;
  const found = text.lastIndexOf(finishReason);
  const start = found + finishReason.length;
  return found < 0 ? null : text.slice(start, text.indexOf('"', start));
}
