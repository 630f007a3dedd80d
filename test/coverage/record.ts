/**
 * A setup file of vitest: records which code of `src` each test file runs, in its worker, in the processes that it
 * starts and in the browser. Loaded only where `SLUICE_COVERAGE` names a folder; `report.ts` reads what it leaves there.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Session, type Profiler } from 'node:inspector/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';
import { coveredRanges, union, type Ranges, type ScriptCoverage } from './covered-ranges.ts';

declare global {
  var coverageSession: Promise<Session> | undefined;
  /** What pages of the browser ran, as they closed. */
  var browserCoverage: ScriptCoverage[] | undefined;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = process.env.SLUICE_COVERAGE;

if (folder) {
  globalThis.coverageSession ??= startSession();
  const session = await globalThis.coverageSession;
  const testFile = relative(root, expect.getState().testPath ?? '');
  const processes = join(folder, 'processes', testFile.replaceAll('/', '~'));
  mkdirSync(processes, { recursive: true });
  process.env.NODE_V8_COVERAGE = processes;
  const started = performance.now();
  // What ran before belongs to another file.
  await session.post('Profiler.takePreciseCoverage');
  globalThis.browserCoverage = [];

  afterAll(async () => {
    const ranges = new Map<string, Ranges>();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    for (const script of result.filter(({ url }) => url.startsWith(`file://${root}src/`)))
      add(ranges, `vitest:${await keepSource(folder, session, script)}`, script);
    for (const name of readdirSync(processes)) addProcess(ranges, join(processes, name));
    for (const script of globalThis.browserCoverage ?? [])
      add(ranges, `dist/dashboard${new URL(script.url).pathname}`, script);
    rmSync(processes, { recursive: true });
    mkdirSync(join(folder, 'files'), { recursive: true });
    writeFileSync(
      join(folder, 'files', `${testFile.replaceAll('/', '~')}.json`),
      JSON.stringify({ testFile, durationMs: performance.now() - started, ranges: Object.fromEntries(ranges) }),
    );
  });
}

async function startSession(): Promise<Session> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Debugger.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return session;
}

/** A process that was killed may have left half a file. */
function addProcess(ranges: Map<string, Ranges>, path: string): void {
  let scripts: ScriptCoverage[];
  try {
    scripts = JSON.parse(readFileSync(path, 'utf8')).result;
  } catch {
    return;
  }
  for (const script of scripts.filter(({ url }) => url.startsWith(`file://${root}dist/`)))
    add(ranges, relative(root, fileURLToPath(script.url)), script);
}

function add(ranges: Map<string, Ranges>, name: string, script: ScriptCoverage): void {
  const covered = coveredRanges(script);
  if (covered.length > 0) ranges.set(name, union(ranges.get(name) ?? [], covered));
}

const kept = new Map<string, string>();

/** Writes the code as vitest ran it, with its source map within, once. @returns its name */
async function keepSource(into: string, session: Session, script: Profiler.ScriptCoverage): Promise<string> {
  const known = kept.get(script.scriptId);
  if (known !== undefined) return known;
  const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId: script.scriptId });
  const path = relative(root, fileURLToPath(script.url));
  const name = `${createHash('sha256').update(scriptSource).digest('hex').slice(0, 16)}:${path}`;
  const file = join(into, 'sources', name.replaceAll('/', '~'));
  mkdirSync(join(into, 'sources'), { recursive: true });
  if (!existsSync(file)) writeFileSync(file, scriptSource);
  kept.set(script.scriptId, name);
  return name;
}
