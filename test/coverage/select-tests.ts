import { readersOf } from './file-readers.ts';

/** Which tests reach a change. */
export interface Selection {
  /** Files whose importers among the tests of `relatedLanes` run. */
  readonly related: readonly string[];
  readonly relatedLanes: readonly string[];
  /** Lanes that run whole. */
  readonly lanes: readonly string[];
  /** Test files, and folders of them, in other lanes. */
  readonly files: readonly string[];
  /** The test files that are selected because the map does not know them. */
  readonly unmapped: readonly string[];
  /** Lanes, test files and folders that the change reaches, of lanes that run only when they are named. */
  readonly notRun: readonly string[];
}

/** By source file, the test files of the api and browser lanes that run its code. */
export type CoverageMap = Readonly<Record<string, readonly string[]>>;

const IMPORTING_LANES = ['unit', 'services'];
const MAPPED_LANES = ['api', 'browser'];
const RUN_LANES = [...IMPORTING_LANES, ...MAPPED_LANES];

/**
 * @param changed paths relative to the repository
 * @param testFiles all that exist, relative to the repository
 */
export function selectTests(changed: readonly string[], map: CoverageMap, testFiles: readonly string[]): Selection {
  const unmapped = changed.some((path) => path.startsWith('src/')) ? unknownTo(map, testFiles) : [];
  const reached = new Set([...changed.flatMap((path) => [...reaching(path, map), ...readersOf(path)]), ...unmapped]);
  const lanes = RUN_LANES.filter((lane) => reached.has(lane));
  const rest = [...reached].filter((each) => !lanes.includes(laneOf(each))).sort();
  const relatedLanes = IMPORTING_LANES.filter((lane) => !lanes.includes(lane));
  const related = changed.filter((path) => /^(src|test|migrations)\/.*\.(ts|tsx|mjs|jsonl?)$/.test(path));
  return {
    related: relatedLanes.length > 0 ? related : [],
    relatedLanes,
    lanes,
    files: rest.filter((each) => RUN_LANES.includes(laneOf(each))),
    unmapped: unmapped.filter((path) => !lanes.includes(laneOf(path))),
    notRun: rest.filter((each) => !RUN_LANES.includes(laneOf(each))),
  };
}

/** Test files of the mapped lanes that were not there when the map was recorded. */
function unknownTo(map: CoverageMap, testFiles: readonly string[]): string[] {
  const known = new Set(Object.values(map).flat());
  return testFiles.filter((path) => MAPPED_LANES.includes(laneOf(path)) && !known.has(path));
}

/** Test files, or lanes where it is not known which of their files reach it. */
function reaching(path: string, map: CoverageMap): readonly string[] {
  if (path.startsWith('src/dashboard/')) return map[path] ?? ['browser'];
  if (path.startsWith('src/')) return map[path] ?? MAPPED_LANES;
  if (path.startsWith('test/harness/')) return MAPPED_LANES;
  const [, lane] = /^test\/(api|browser|soak|promises)\//.exec(path) ?? [];
  if (lane === undefined) return [];
  return [path.endsWith('.test.ts') ? path : lane];
}

/** @param selected a lane, or a path of a test */
function laneOf(selected: string): string {
  return /^test\/(\w+)\//.exec(selected)?.[1] ?? selected;
}
