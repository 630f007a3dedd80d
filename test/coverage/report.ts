/**
 * What the tests ran of `src`, from what `record.ts` left: a table of lines and branches by top-level folder, and
 * the lines of each source file that each test file reaches.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { lanes } from '../harness/lanes.ts';
import { includes, union, type Ranges } from './covered-ranges.ts';
import { builtScript, vitestScript, type MappedScript } from './mapped-script.ts';
import { positionsOf } from './source-positions.ts';

const usage = `Usage: node test/coverage/report.ts <folder> [--root <checkout>] [--reach <file>] [--map <file>]

  <folder>        what SLUICE_COVERAGE named when the tests ran
  --root <path>   the checkout that they ran in; this one where absent
  --reach <file>  writes the lines that each test file reaches, as JSON, for test/faults/run.ts
  --map <file>    writes which test files of the api and browser lanes reach each source file, for test:changed
`;

interface Recorded {
  readonly testFile: string;
  readonly durationMs: number;
  readonly ranges: Readonly<Record<string, Ranges>>;
}

interface Place {
  readonly line: number;
  readonly column: number;
}

interface Source {
  readonly statements: readonly Place[];
  readonly branches: readonly Place[];
  readonly lines: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean' },
    root: { type: 'string' },
    reach: { type: 'string' },
    map: { type: 'string' },
  },
});
const [folder] = positionals;
if (values.help || folder === undefined) {
  process.stdout.write(usage);
  process.exit(values.help ? 0 : 2);
}
const root = values.root ?? fileURLToPath(new URL('../..', import.meta.url));

const sources = new Map(sourceFiles('src').map((path) => [path, readSource(path)]));
const recorded = readdirSync(join(folder, 'files')).map((name): Recorded =>
  JSON.parse(readFileSync(join(folder, 'files', name), 'utf8')),
);
const scripts = new Map<string, MappedScript | null>();

if (values.reach) writeFileSync(values.reach, JSON.stringify(reach()));
if (values.map) writeFileSync(values.map, `${JSON.stringify(lanesMap(), null, 1)}\n`);
process.stdout.write(table());

/** Lines and branches that ran, of those that there are, by top-level folder of `src`. */
function table(): string {
  const all = new Map<string, Ranges>();
  for (const { ranges } of recorded)
    for (const [name, covered] of Object.entries(ranges)) all.set(name, union(all.get(name) ?? [], covered));
  const byFolder = new Map<
    string,
    { lines: number; coveredLines: number; branches: number; coveredBranches: number }
  >();
  const ran = new Map<string, { places: Set<Place> }>();
  for (const [name, covered] of all)
    for (const [path, source] of sourcesIn(name)) {
      const { places } = ran.get(path) ?? { places: new Set() };
      for (const place of [...source.statements, ...source.branches])
        if (isCovered(name, path, place, covered)) places.add(place);
      ran.set(path, { places });
    }
  for (const [path, source] of sources) {
    const [, top = ''] = path.split('/');
    const key = path.split('/').length > 2 ? top : '(src)';
    const sum = byFolder.get(key) ?? { lines: 0, coveredLines: 0, branches: 0, coveredBranches: 0 };
    const places = ran.get(path)?.places ?? new Set();
    sum.lines += new Set(source.statements.map(({ line }) => line)).size;
    sum.coveredLines += new Set(source.statements.filter((place) => places.has(place)).map(({ line }) => line)).size;
    sum.branches += source.branches.length;
    sum.coveredBranches += source.branches.filter((place) => places.has(place)).length;
    byFolder.set(key, sum);
  }
  const share = (part: number, whole: number): string => (whole === 0 ? '' : `${((100 * part) / whole).toFixed(2)} %`);
  const rows = [...byFolder].sort().map(([name, sum]) => {
    const { lines, coveredLines, branches, coveredBranches } = sum;
    return `| ${name} | ${coveredLines}/${lines} | ${share(coveredLines, lines)} | ${coveredBranches}/${branches} | ${share(coveredBranches, branches)} |\n`;
  });
  return `| folder of src | lines | | branches | |\n|---|---|---|---|---|\n${rows.join('')}`;
}

/** As test/faults/coverage-map.ts reads it. */
function reach(): object {
  const files: Record<string, Record<string, string>> = {};
  for (const { testFile, ranges } of recorded) {
    const reached = new Map<string, Set<number>>();
    for (const [name, covered] of Object.entries(ranges))
      for (const [path, source] of sourcesIn(name)) {
        const lines = reached.get(path) ?? new Set<number>();
        reached.set(path, lines);
        for (const place of [...source.statements, ...source.branches])
          if (!lines.has(place.line) && isCovered(name, path, place, covered)) lines.add(place.line);
        for (let line = 0; line < source.lines; line++)
          if (!lines.has(line) && isCovered(name, path, { line, column: 0 }, covered)) lines.add(line);
      }
    for (const [path, lines] of reached) if (lines.size > 0) (files[path] ??= {})[testFile] = asRanges(lines);
  }
  return {
    durations: Object.fromEntries(recorded.map(({ testFile, durationMs }) => [testFile, Math.round(durationMs)])),
    lanes: Object.fromEntries(recorded.map(({ testFile }) => [testFile, laneOf(testFile)])),
    files,
  };
}

function lanesMap(): Record<string, string[]> {
  const map: Record<string, string[]> = {};
  for (const { testFile, ranges } of recorded.filter((each) => ['api', 'browser'].includes(laneOf(each.testFile))))
    for (const [name, covered] of Object.entries(ranges))
      for (const [path, source] of sourcesIn(name))
        if (!map[path]?.includes(testFile) && reachesInside(name, path, source, covered))
          (map[path] ??= []).push(testFile);
  for (const list of Object.values(map)) list.sort();
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Whether more ran of it than what runs when it is loaded. */
function reachesInside(name: string, path: string, source: Source, covered: Ranges): boolean {
  return source.statements.some((place) => place.column > 0 && isCovered(name, path, place, covered));
}

function isCovered(name: string, path: string, { line, column }: Place, covered: Ranges): boolean {
  const offset = scriptOf(name)?.offsetAt(path, line, column) ?? null;
  return offset !== null && includes(covered, offset);
}

function* sourcesIn(name: string): Generator<[string, Source]> {
  for (const path of scriptOf(name)?.sources ?? []) {
    const source = sources.get(path);
    if (source) yield [path, source];
  }
}

function scriptOf(name: string): MappedScript | null {
  const known = scripts.get(name);
  if (known !== undefined) return known;
  const [, hashed = ''] = /^vitest:(.*)$/.exec(name) ?? [];
  const made = hashed
    ? vitestScript(
        root,
        join(folder ?? '', 'sources', hashed.replaceAll('/', '~')),
        hashed.slice(hashed.indexOf(':') + 1),
      )
    : builtScript(root, name);
  scripts.set(name, made);
  return made;
}

function readSource(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8');
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const place = (offset: number): Place => {
    let line = 0;
    while ((starts[line + 1] ?? Infinity) <= offset) line++;
    return { line, column: offset - (starts[line] ?? 0) };
  };
  const { statements, branches } = positionsOf(path, text);
  return { statements: statements.map(place), branches: branches.map(place), lines: starts.length };
}

function sourceFiles(under: string): string[] {
  return readdirSync(join(root, under), { recursive: true, encoding: 'utf8' })
    .map((name) => `${under}/${name}`)
    .filter((path) => /\.tsx?$/.test(path) && !path.includes('/generated/') && existsSync(join(root, path)))
    .sort();
}

function laneOf(testFile: string): string {
  const [, lane = ''] = testFile.split('/');
  return lanes.find((each) => each === lane) ?? '';
}

/** `1-5,9`, counted from 1. */
function asRanges(lines: ReadonlySet<number>): string {
  const parts: string[] = [];
  const sorted = [...lines].sort((a, b) => a - b);
  for (let from = 0; from < sorted.length;) {
    let to = from;
    while (sorted[to + 1] === (sorted[to] ?? 0) + 1) to++;
    const [first = 0, last = 0] = [sorted[from], sorted[to]];
    parts.push(first === last ? `${first + 1}` : `${first + 1}-${last + 1}`);
    from = to + 1;
  }
  return parts.join();
}
