import type { RedactionCounts } from './rules.ts';

/** A range of UTF-16 code units to be replaced. */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  /** Names a range that several matches overlap: the lowest wins. */
  readonly rank: number;
}

export function replacementOf(name: string): string {
  return `[redacted:${name}]`;
}

export function count(counts: RedactionCounts, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** Replaces each match. Overlapping ones are replaced together, so that no part of any remains. */
export function replaceMatches(text: string, matches: Match[], counts: RedactionCounts): string {
  if (matches.length === 0) return text;
  matches.sort((a, b) => a.start - b.start);
  let redacted = '';
  let position = 0;
  let at = 0;
  while (at < matches.length) {
    let best = matches[at] as Match;
    const { start } = best;
    let { end } = best;
    for (at += 1; at < matches.length; at += 1) {
      const next = matches[at] as Match;
      if (next.start >= end) break;
      if (next.end > end) end = next.end;
      if (next.rank < best.rank) best = next;
    }
    redacted += text.slice(position, start) + replacementOf(best.name);
    position = end;
    count(counts, best.name);
  }
  return redacted + text.slice(position);
}
