import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from '../free-port.ts';
import { launchServer, type LaunchedServer } from '../launch-server.ts';
import { startPostgres, type RunningPostgres } from '../postgres.ts';
import { TEST_SECRET } from '../product-template.ts';
import { s3Environment, startS3, type RunningS3 } from '../s3.ts';
import { pricedModels, startPricedProvider, type PricedProvider } from './priced-provider.ts';
import { startSharedRedis, type RedisKind, type SharedRedis } from './shared-redis.ts';

const DRAIN_POLL_MS = 200;
/** No limit is reached. */
const LIMITS = { requestsPerMinute: 1_000_000_000, tokensPerMinute: 1_000_000_000_000, concurrency: 100_000 };

/** A process of Sluice that starts again at its address. */
export interface ClusterProcess {
  readonly url: string;
  readonly pid: number;
  end(signal: NodeJS.Signals): Promise<number | null>;
  start(): Promise<void>;
}

/** Processes on one PostgreSQL, one Redis or Redis Cluster, one object store and one provider. */
export interface Cluster {
  readonly processes: readonly ClusterProcess[];
  readonly apiKey: string;
  readonly postgres: RunningPostgres;
  readonly redis: SharedRedis;
  readonly s3: RunningS3;
  readonly provider: PricedProvider;
  /** @returns the data of the answer */
  graphql(query: string): Promise<unknown>;
  query<Row extends object>(statement: string): Promise<Row[]>;
  /** Resolves when each process has stored all usage that it recorded. */
  whenDrained(): Promise<void>;
  stop(): Promise<void>;
}

export interface GatewayClusterOptions {
  readonly redis?: RedisKind;
  /** Further variables of each process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** @param count of processes */
export async function startGatewayCluster(count: number, options: GatewayClusterOptions = {}): Promise<Cluster> {
  const { redis: kind = 'standalone', env = {} } = options;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cluster-'));
  // PostgreSQL runs as another user, who has to get in.
  chmodSync(folder, 0o711);
  const config = join(folder, 'sluice.yaml');
  writeFileSync(config, pricedModels);
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const each of stops.splice(0).toReversed()) await each();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const [postgres, redis, s3, provider] = await Promise.all([
      startPostgres(join(folder, 'postgres'), { max_connections: '200' }),
      startSharedRedis(kind),
      startS3(),
      startPricedProvider(),
    ]);
    stops.push(
      () => postgres.stop(),
      () => redis.stop(),
      () => s3.stop(),
      () => provider.close(),
    );
    const common = {
      SLUICE_CONFIG: config,
      SLUICE_SECRET: TEST_SECRET,
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      OPENAI_API_KEY: 'x',
      OPENAI_BASE_URL: provider.url,
      ...s3Environment(await s3.settings('cluster')),
      ...env,
    };
    const processes: ClusterProcess[] = [];
    let owner: LaunchedServer | null = null;
    for (let each = 0; each < count; each++) {
      const dataDir = join(folder, `process-${each}`);
      mkdirSync(dataDir);
      const own = { ...common, PORT: String(await freePort()) };
      const launched: LaunchedServer = await launchServer(dataDir, own, owner);
      owner ??= launched;
      const process = restartable(launched, () => launchServer(dataDir, own, launched));
      processes.push(process);
      stops.push(() => process.end('SIGKILL'));
    }
    const { apiKey = '' } = owner ?? {};
    const first = processes[0]?.url ?? '';
    const query = <Row extends object>(statement: string): Promise<Row[]> => queryOnce<Row>(postgres.url, statement);
    await query(`update api_keys set limits = '${JSON.stringify(LIMITS)}'::jsonb`);
    return {
      processes,
      apiKey,
      postgres,
      redis,
      s3,
      provider,
      query,
      graphql: (text) => ask(first, apiKey, text),
      whenDrained: async () => {
        for (const { url } of processes) await whenDrained(url);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function restartable(first: LaunchedServer, launch: () => Promise<LaunchedServer>): ClusterProcess {
  let launched = first;
  return {
    url: first.url,
    get pid() {
      return launched.pid;
    },
    end: (signal) => launched.end(signal),
    start: async () => {
      launched = await launch();
    },
  };
}

async function ask(url: string, apiKey: string, query: string): Promise<unknown> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = Object(await response.json());
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
  return data;
}

async function queryOnce<Row extends object>(url: string, statement: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

async function whenDrained(url: string): Promise<void> {
  for (;;) {
    const metrics = await fetch(`${url}/metrics`).then(
      (response) => response.text(),
      () => '',
    );
    if (/^sluice_journal_undrained_bytes 0$/m.test(metrics)) return;
    await sleep(DRAIN_POLL_MS);
  }
}
