import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { startPostgres } from '../harness/postgres.ts';
import { PROXY, SLUICE, type Target } from './load.ts';
import { freePort } from '../harness/free-port.ts';
import { cpuMicroseconds, start, type Started } from './processes.ts';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const nothing = async (): Promise<void> => undefined;

export async function startUpstream(): Promise<{ origin: string; stop(): Promise<void> }> {
  const port = await freePort();
  const started = await start([here('upstream.ts'), String(port)], /ready/);
  return { origin: `http://127.0.0.1:${port}`, stop: started.stop };
}

/** @param processes that share the port */
export async function startProxy(upstream: string, processes = 1): Promise<Target & Started> {
  const port = await freePort();
  const started = await start([here('do-nothing-proxy.ts'), String(port), upstream, String(processes)], /ready/);
  return {
    ...started,
    name: PROXY,
    url: `http://127.0.0.1:${port}`,
    headers: { authorization: 'Bearer x' },
    settle: nothing,
  };
}

export interface SluiceTarget extends Target, Started {
  readonly databaseUrl: string;
  databaseCpu(): number;
}

/**
 * The built server on server PostgreSQL, with authentication, limits and durable metering on.
 * @param checkout where it was built @param name in the report @param env further variables
 */
export async function startSluice(
  upstream: string,
  checkout = here('../..'),
  name: string = SLUICE,
  env: Record<string, string> = {},
): Promise<SluiceTarget> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  // PostgreSQL runs as another user, who has to get in.
  chmodSync(folder, 0o755);
  const postgres = await startPostgres(join(folder, 'postgres'));
  const postmaster = Number.parseInt(readFileSync(join(folder, 'postgres', 'data', 'postmaster.pid'), 'utf8'), 10);
  const port = await freePort();
  const config = join(folder, 'sluice.yaml');
  writeFileSync(config, configuration(upstream));
  const started = await start([join(checkout, 'dist', 'main.js')], /ready at/, {
    SLUICE_CONFIG: config,
    PORT: String(port),
    SLUICE_DATA_DIR: join(folder, 'data'),
    DATABASE_URL: postgres.url,
    SLUICE_SECRET: 'a secret of the benchmark, long enough for it',
    OPENAI_API_KEY: 'x',
    OPENAI_BASE_URL: `${upstream}/v1`,
    ANTHROPIC_API_KEY: 'x',
    ANTHROPIC_BASE_URL: `${upstream}/v1`,
    GEMINI_API_KEY: 'x',
    GEMINI_BASE_URL: `${upstream}/v1beta`,
    LOG_LEVEL: 'warn',
    ...env,
  });
  const secret = /sk-sluice-[0-9A-Za-z]+/.exec(started.output())?.[0] ?? '';
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  const limits = { requestsPerMinute: 1_000_000_000, tokensPerMinute: 1_000_000_000_000, concurrency: 100_000 };
  await client.query('update api_keys set limits = $1::jsonb', [JSON.stringify(limits)]);
  await client.end();
  const url = `http://127.0.0.1:${port}`;
  return {
    ...started,
    name,
    url,
    headers: { authorization: `Bearer ${secret}` },
    settle: () => drained(url),
    databaseUrl: postgres.url,
    databaseCpu: () => cpuMicroseconds(postmaster),
    stop: async () => {
      await started.stop();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A server is taken for one that stores responses where it says so. */
function configuration(upstream: string): string {
  return `providers:
  azure-openai:
    base_url: ${upstream}/v1
    api_key: x
    options:
      api: responses
`;
}

async function drained(url: string): Promise<void> {
  for (;;) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    if (/^sluice_journal_undrained_bytes 0$/m.test(metrics)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
