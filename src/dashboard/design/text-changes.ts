import { diffLines, diffWordsWithSpace, type Change } from 'diff';

/** Longer texts are compared by lines, because comparing words would take seconds. */
const MAX_LENGTH_BY_WORDS = 20_000;

/** What turns a text into another: by words, by lines where that takes half of the time, and else as a whole. */
export function textChanges(before: string, after: string, timeoutMs: number): readonly Change[] {
  const timeout = timeoutMs / 2;
  const byWords =
    before.length + after.length <= MAX_LENGTH_BY_WORDS ? diffWordsWithSpace(before, after, { timeout }) : undefined;
  return (
    byWords ??
    diffLines(before, after, { timeout }) ?? [
      { value: before, added: false, removed: true, count: 1 },
      { value: after, added: true, removed: false, count: 1 },
    ]
  );
}
