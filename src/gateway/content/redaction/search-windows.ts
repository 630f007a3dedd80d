import type { Report } from './detectors/detector.ts';

/** UTF-16 code units that are searched at once. */
export const WINDOW_LENGTH = 32_768;
/** What a search sees before and after its window: longer than what decides whether a match begins or ends there. */
export const CONTEXT_LENGTH = 8_192;

/** Of a match, what can stand before a part of any length: a name, white space and quotes. */
const MAX_LEAD_LENGTH = 512;
const endOfRun = /[^\x21-\x7e]/;

/**
 * Searches a long text window by window, for what the built-in detectors find. A match that reaches the end of what is seen is
 * searched for again with twice as much, so that none is cut. So is an unbroken run of ASCII characters, because it may be the
 * start of a token that is recognised by its end only. Not for expressions of accounts: of these, a match that is longer than
 * the context may be nothing without its end. Linear: what was seen for a long match is not searched again.
 * @returns a generator that yields after each search how many code units were searched
 */
export function* searchWindows(
  text: string,
  find: (text: string, report: Report) => void,
  report: Report,
): Generator<number, void> {
  for (let at = 0; at < text.length;) {
    const from = Math.max(0, at - CONTEXT_LENGTH);
    let to = at + WINDOW_LENGTH + CONTEXT_LENGTH;
    let found = searchSlice(text, from, to, find);
    yield Math.min(to, text.length) - from;
    while (to < text.length && (found.some(([, end]) => end >= to) || endsInRun(text, to))) {
      to = from + (to - from) * 2;
      found = searchSlice(text, from, to, find);
      yield Math.min(to, text.length) - from;
    }
    const next = to >= text.length ? text.length : to - CONTEXT_LENGTH;
    // What begins before the window was found with the one before, and what begins after it is found with the next.
    for (const [start, end] of found) if (start >= at && start < next) report(start, end);
    at = next;
  }
}

/** Whether a run of characters without white space, as tokens are, takes what is seen after the window. */
function endsInRun(text: string, to: number): boolean {
  return !endOfRun.test(text.slice(to - CONTEXT_LENGTH + MAX_LEAD_LENGTH, to));
}

function searchSlice(
  text: string,
  from: number,
  to: number,
  find: (text: string, report: Report) => void,
): [start: number, end: number][] {
  const found: [number, number][] = [];
  find(text.slice(from, to), (start, end) => found.push([from + start, from + end]));
  return found;
}
