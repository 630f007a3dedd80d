/** One script's coverage as V8 reports it, by the inspector or in a file of `NODE_V8_COVERAGE`. */
export interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
  }[];
}

/** Start and end offsets in turn, ascending and apart from each other. */
export type Ranges = readonly number[];

/** What ran of a script. V8's ranges nest: the innermost count holds. */
export function coveredRanges({ functions }: ScriptCoverage): Ranges {
  const ranges = functions
    .flatMap((each) => each.ranges)
    .sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const covered: number[] = [];
  const open: { end: number; ran: boolean }[] = [];
  let at = 0;
  const advance = (to: number): void => {
    if (to > at && open.at(-1)?.ran) append(covered, at, to);
    at = Math.max(at, to);
  };
  for (const { startOffset, endOffset, count } of ranges) {
    for (let inner = open.at(-1); inner && inner.end <= startOffset; inner = open.at(-1)) {
      advance(inner.end);
      open.pop();
    }
    advance(startOffset);
    open.push({ end: endOffset, ran: count > 0 });
  }
  for (let inner = open.at(-1); inner; inner = open.at(-1)) {
    advance(inner.end);
    open.pop();
  }
  return covered;
}

/** What ran in one or the other. */
export function union(one: Ranges, other: Ranges): Ranges {
  const pairs: [number, number][] = [];
  for (const ranges of [one, other])
    for (let i = 0; i + 1 < ranges.length; i += 2) pairs.push([ranges[i] ?? 0, ranges[i + 1] ?? 0]);
  const joined: number[] = [];
  for (const [start, end] of pairs.sort((a, b) => a[0] - b[0])) append(joined, start, end);
  return joined;
}

export function includes(ranges: Ranges, offset: number): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  // An odd number of bounds at or below the offset: it stands within a pair.
  return low % 2 === 1;
}

function append(ranges: number[], start: number, end: number): void {
  const last = ranges.at(-1);
  if (last !== undefined && start <= last) ranges[ranges.length - 1] = Math.max(last, end);
  else ranges.push(start, end);
}
