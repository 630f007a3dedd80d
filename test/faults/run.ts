import { appendFileSync, existsSync, realpathSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Coverage } from './coverage-map.ts';
import { listPath, readFaults, readRewritten, readStruck, type Fault } from './fault.ts';
import { applyFault, assertClean, findInTree, type FaultPlace } from './mutated-file.ts';
import { readResults, type FaultResult } from './result.ts';
import { runTests, type TestRun } from './test-run.ts';

const usage = `Usage: npm run test:faults -- --tree DIR --map FILE --results FILE [options]

Writes each fault of the list into a checkout, one at a time, and runs the tests that reach it. Struck faults are left
out. The checkout needs its own git worktree, node_modules, and no uncommitted changes in src; each file is restored.

  --tree DIR         the checkout
  --map FILE         which test files reach which lines of that checkout
  --results FILE     a line of JSON for each fault is appended
  --faults FILE      the list (default test/faults/faults.json)
  --only ID,ID       these faults
  --area NAME        the faults of an area
  --lane             a fault that the tests reaching it do not detect: also run the whole vitest projects of these
                     tests; where there are no projects, all tests that reach its file
  --resume           leave out what the results file has already
  --time-limit MIN   minutes that the tests of a fault may take longer than they took for the map (default 20):
                     then they hang
`;

/** Tests that are run first, in one call. */
const MAX_FAST_FILES = 20;
const MAX_FAST_MS = 3_000;
/** How many of the others are run in one call, the fastest first; the last counts for all further ones. */
const FILES_PER_RUN = [2, 6, 12];

const { values } = parseArgs({
  options: {
    tree: { type: 'string' },
    map: { type: 'string' },
    results: { type: 'string' },
    faults: { type: 'string', default: listPath },
    only: { type: 'string' },
    area: { type: 'string' },
    lane: { type: 'boolean', default: false },
    resume: { type: 'boolean', default: false },
    'time-limit': { type: 'string', default: '20' },
    help: { type: 'boolean' },
  },
});
const limitMs = Number(values['time-limit']) * 60_000;
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
if (!values.tree || !values.map || !values.results || !(limitMs > 0)) fail(usage);
if (!values.resume && existsSync(values.results))
  fail(`${values.results} exists. Pass --resume to continue it, or name another file.\n`);
const tree = realpathSync(values.tree);
const coverage = new Coverage(values.map, tree);
try {
  assertClean(tree);
} catch (error) {
  fail(`${String(error)}\n`);
}

const rewritten = readRewritten();
const stopping = new AbortController();
let restore = (): void => undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => stopping.abort(new Error(`stopped by ${signal}`)));
// Whatever ends this process, the file is restored.
process.on('exit', () => restore());

const faults = chosen();
for (const [index, fault] of faults.entries()) {
  process.stdout.write(`${index + 1} of ${faults.length}  ${fault.id}  ${fault.file}:${fault.line}  `);
  const result = await tryFault(fault).catch(stopped);
  appendFileSync(values.results, `${JSON.stringify(result)}\n`);
  process.stdout.write(`${result.outcome}  ${result.seconds} s  ${result.by ?? result.detail?.split('\n')[0] ?? ''}\n`);
}

function chosen(): Fault[] {
  const only = values.only?.split(',');
  const done = values.resume ? readResults(values.results ?? '') : new Map<string, FaultResult>();
  const struck = readStruck();
  const all = readFaults(values.faults).faults;
  const unknown = only?.filter((id) => all.every((fault) => fault.id !== id)) ?? [];
  if (unknown.length > 0) fail(`There is no fault ${unknown.join(', ')}.\n`);
  return all.filter(
    ({ id, area }) =>
      !struck.has(id) &&
      !done.has(id) &&
      (only?.includes(id) ?? true) &&
      (values.area === undefined || area === values.area),
  );
}

async function tryFault(fault: Fault): Promise<FaultResult> {
  const startedAt = performance.now();
  const found = await detectAnyForm(fault);
  return { id: fault.id, ...found, seconds: Math.round((performance.now() - startedAt) / 1_000) };
}

async function detectAnyForm(fault: Fault): Promise<Omit<FaultResult, 'id' | 'seconds'>> {
  for (const form of [fault, rewritten.get(fault.id)]) {
    const place = form && findInTree(tree, form);
    if (form && place) return detect(form, place);
  }
  return { outcome: 'unplaced' };
}

async function detect(fault: Fault, place: FaultPlace): Promise<Omit<FaultResult, 'id' | 'seconds'>> {
  let deadline = performance.now() + limitMs;
  const reaching = coverage.reaching(place.file, place.firstLine, place.lastLine);
  restore = applyFault(tree, place, fault);
  try {
    for (const { args, expectedMs } of runsOf(reaching, place)) {
      deadline += expectedMs;
      const run = await runTests({ tree, args, withinMs: deadline - performance.now(), signal: stopping.signal });
      if (run.outcome !== 'passed') return outcomeOf(run);
    }
    return { outcome: reaching.length === 0 ? 'unreached' : 'survived' };
  } finally {
    restore();
    restore = () => undefined;
  }
}

interface Run {
  /** Test files, or projects. */
  readonly args: readonly string[];
  readonly expectedMs: number;
}

/** The fast tests, the others, and what is to be run when none of them fails. */
function runsOf(reaching: readonly string[], { file }: FaultPlace): Run[] {
  const fast = reaching.slice(0, MAX_FAST_FILES).filter((test) => coverage.durationMs(test) < MAX_FAST_MS);
  const runs = [...chunks(fast, [MAX_FAST_FILES]), ...chunks(reaching.slice(fast.length), FILES_PER_RUN)];
  if (!values.lane) return runs;
  const ofFile = coverage.reachingFile(file);
  const lanes = coverage.lanesOf(reaching.length > 0 ? reaching : ofFile);
  if (lanes.length === 0) {
    const others = ofFile.filter((test) => !reaching.includes(test));
    return [...runs, ...chunks(others, FILES_PER_RUN)];
  }
  const args = lanes.flatMap((lane) => ['--project', lane]);
  return [...runs, { args, expectedMs: coverage.expectedMs(coverage.testsIn(lanes)) }];
}

function chunks(tests: readonly string[], sizes: readonly number[]): Run[] {
  const [size = tests.length, ...further] = sizes;
  if (tests.length === 0) return [];
  const args = tests.slice(0, size);
  const rest = chunks(tests.slice(size), further.length > 0 ? further : sizes);
  return [{ args, expectedMs: coverage.expectedMs(args) }, ...rest];
}

function outcomeOf(run: Exclude<TestRun, { outcome: 'passed' }>): Omit<FaultResult, 'id' | 'seconds'> {
  return run.outcome === 'failed' ? { outcome: 'killed', by: run.by } : (run as Omit<FaultResult, 'id' | 'seconds'>);
}

/** A fault whose run was stopped has no result: it is run again with --resume. */
function stopped(error: unknown): never {
  if (!stopping.signal.aborted) throw error;
  process.stdout.write(`stopped\n`);
  process.exit(130);
}

function fail(message: string): never {
  process.stderr.write(message);
  process.exit(2);
}
