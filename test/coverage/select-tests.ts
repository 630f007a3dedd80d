/** Which tests reach a change. */
export interface Selection {
  /** Files whose importers among the tests run. */
  readonly related: readonly string[];
  /** Lanes that run whole. */
  readonly lanes: readonly string[];
  /** Test files of other lanes. */
  readonly files: readonly string[];
}

/** By source file, the test files of the api and browser lanes that run its code. */
export type CoverageMap = Readonly<Record<string, readonly string[]>>;

const MAPPED_LANES = ['api', 'browser'];
const TEST_FILE = /^test\/(\w+)\/.*\.test\.ts$/;

/** @param changed paths relative to the repository */
export function selectTests(changed: readonly string[], map: CoverageMap): Selection {
  const related = changed.filter((path) => /^(src|test|migrations)\/.*\.(ts|tsx|mjs|jsonl?)$/.test(path));
  const lanes = new Set<string>();
  const files = new Set<string>();
  for (const path of changed) {
    const [, lane = ''] = TEST_FILE.exec(path) ?? [];
    if (MAPPED_LANES.includes(lane)) files.add(path);
    else if (lane === '')
      for (const each of reaching(path, map)) (MAPPED_LANES.includes(each) ? lanes : files).add(each);
  }
  return {
    related,
    lanes: [...lanes],
    files: [...files].filter((path) => !lanes.has(TEST_FILE.exec(path)?.[1] ?? '')).sort(),
  };
}

/** Test files, or lanes where it is not known which of their files reach it. */
function reaching(path: string, map: CoverageMap): readonly string[] {
  if (path.startsWith('src/dashboard/')) return map[path] ?? ['browser'];
  if (path.startsWith('src/')) return map[path] ?? MAPPED_LANES;
  const [, lane = ''] = /^test\/(\w+)\//.exec(path) ?? [];
  if (MAPPED_LANES.includes(lane)) return [lane];
  // What the product or every test is made of.
  if (/^(test\/harness|migrations)\/|^(package-lock\.json|package\.json|tsconfig\.json|vitest\.config\.ts)$/.test(path))
    return MAPPED_LANES;
  return [];
}
