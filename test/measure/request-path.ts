import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Profiler } from 'node:inspector/promises';
import { openInspector, type Inspector } from '../harness/inspector.ts';
import { start } from '../bench/processes.ts';
import { startUpstream } from '../bench/targets.ts';
import { freePort } from '../harness/free-port.ts';

const built = fileURLToPath(new URL('../../dist/', import.meta.url));
const WARM_UP_REQUESTS = 20;
/** Longer than the settled request takes to reach the database. */
const WINDOW_MS = 3_000;
/** Together longer than the interval of what runs regularly. */
const IDLE_WINDOWS = 5;
/** V8's name for the values of a class's fields, which it counts as a function. */
const FIELD_INITIALIZERS = '<instance_members_initializer>';

export interface PathFile {
  /** From `dist`. */
  readonly file: string;
  readonly functions: readonly string[];
}

/**
 * The files and functions of the built server that one streamed chat request runs through, without packages and without
 * what runs in windows that have no request. V8 counts each call.
 */
export async function requestPath(): Promise<readonly PathFile[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-measure-'));
  const upstream = await startUpstream();
  const port = await freePort();
  const server = await start(['--inspect=127.0.0.1:0', join(built, 'main.js')], /curl [\s\S]*sk-sluice-[0-9A-Za-z]+/, {
    PORT: String(port),
    SLUICE_DATA_DIR: folder,
    OPENAI_API_KEY: 'sk-measured',
    OPENAI_BASE_URL: `${upstream.origin}/v1`,
    LOG_LEVEL: 'warn',
  });
  try {
    const secret = /sk-sluice-[0-9A-Za-z]+/.exec(server.output())?.[0] ?? '';
    const inspector = await openInspector(server.output());
    const request = async (): Promise<void> => {
      const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'openai/gpt-4o-mini',
          stream: true,
          messages: [{ role: 'user', content: 'Say hello.' }],
        }),
      });
      const text = await response.text();
      if (!response.ok || !text.includes('[DONE]')) throw new Error(`the request failed: ${text.slice(0, 500)}`);
    };
    for (let sent = 0; sent < WARM_UP_REQUESTS; sent++) await request();
    await inspector.send('Profiler.enable');
    await inspector.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    const idle = new Set<string>();
    for (let window = 0; window < IDLE_WINDOWS; window++) {
      await wait();
      for (const { key } of (await takeCalls(inspector)).flatMap(calledIn)) idle.add(key);
    }
    await request();
    await wait();
    const called = (await takeCalls(inspector)).flatMap(calledIn).filter(({ key }) => !idle.has(key));
    inspector.close();
    return [...Map.groupBy(called, ({ file }) => file)]
      .map(([file, functions]) => ({ file, functions: functions.map(({ name }) => name) }))
      .toSorted((a, b) => (a.file < b.file ? -1 : 1));
  } finally {
    await server.stop();
    await upstream.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface CalledFunction {
  readonly key: string;
  readonly file: string;
  readonly name: string;
}

function calledIn({ url, functions }: Profiler.ScriptCoverage): CalledFunction[] {
  const prefix = `file://${built}`;
  if (!url.startsWith(prefix)) return [];
  const file = url.slice(prefix.length);
  return functions.flatMap(({ functionName, ranges: [range] }) =>
    range && range.count > 0 && functionName !== FIELD_INITIALIZERS
      ? [{ key: `${file}:${range.startOffset}`, file, name: functionName || '(anonymous)' }]
      : [],
  );
}

function wait(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, WINDOW_MS));
}

/** Calls since the last time. */
async function takeCalls(inspector: Inspector): Promise<readonly Profiler.ScriptCoverage[]> {
  const taken = await inspector.send('Profiler.takePreciseCoverage');
  return typeof taken === 'object' && taken !== null && 'result' in taken && Array.isArray(taken.result)
    ? taken.result
    : [];
}
