import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface CoverageMap {
  /** Milliseconds, by test file. */
  readonly durations: Readonly<Record<string, number>>;
  /** The vitest project of a test file; empty where the checkout has none. */
  readonly lanes: Readonly<Record<string, string>>;
  /** Covered lines as `1-5,9`, by source file and test file. */
  readonly files: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Which tests reach which lines of a checkout. */
export class Coverage {
  readonly #map: CoverageMap;
  readonly #tree: string;

  constructor(path: string, tree: string) {
    this.#map = JSON.parse(readFileSync(path, 'utf8')) as CoverageMap;
    this.#tree = tree;
  }

  /** Test files that reach one of the lines, fastest first. */
  reaching(file: string, firstLine: number, lastLine: number): string[] {
    return this.#sorted(
      Object.entries(this.#map.files[file] ?? {}).flatMap(([test, ranges]) =>
        overlaps(ranges, firstLine, lastLine) ? [test] : [],
      ),
    );
  }

  /** Test files that reach any line of a file, fastest first. */
  reachingFile(file: string): string[] {
    return this.#sorted(Object.keys(this.#map.files[file] ?? {}));
  }

  /** The projects of test files; none where the checkout has none. */
  lanesOf(tests: readonly string[]): string[] {
    return [...new Set(tests.flatMap((test) => this.#map.lanes[test] || []))].sort();
  }

  testsIn(lanes: readonly string[]): string[] {
    return Object.entries(this.#map.lanes).flatMap(([test, lane]) => (lanes.includes(lane) ? [test] : []));
  }

  /** How long they take one after another; 0 for those that the map does not know. */
  expectedMs(tests: readonly string[]): number {
    return tests.reduce((sum, test) => sum + (this.#map.durations[test] ?? 0), 0);
  }

  durationMs(test: string): number {
    return this.#map.durations[test] ?? Infinity;
  }

  #sorted(tests: readonly string[]): string[] {
    return tests
      .filter((test) => existsSync(join(this.#tree, test)))
      .sort((one, other) => compare(this.durationMs(one), this.durationMs(other)) || compare(one, other));
  }
}

function overlaps(ranges: string, firstLine: number, lastLine: number): boolean {
  return ranges.split(',').some((range) => {
    const [from = Number.NaN, to = from] = range.split('-').map(Number);
    return from <= lastLine && to >= firstLine;
  });
}

function compare<T extends number | string>(one: T, other: T): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
