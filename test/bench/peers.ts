import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../harness/free-port.ts';
import type { Target } from './load.ts';
import { start, startProgram, type Started } from './processes.ts';

/** Gateways that are measured beside Sluice: each as it starts by itself, without its database, keys and log. */
export interface PeerPrograms {
  readonly portkey: boolean;
  /** The program `bifrost-http`. */
  readonly bifrost?: string | undefined;
  /** The program `litellm` of a Python environment. */
  readonly litellm?: string | undefined;
}

export type Peer = Target & Started;

/** What a peer takes longer than Sluice, so that fewer requests say as much. */
const PORTKEY_SHARE = 1 / 4;
const BIFROST_SHARE = 1 / 4;
const LITELLM_SHARE = 1 / 100;
const portkeyVersion = '1.15.2';

export async function startPeers(programs: PeerPrograms, upstream: string): Promise<readonly Peer[]> {
  const peers: Peer[] = [];
  if (programs.portkey) peers.push(await startPortkey(upstream));
  if (programs.bifrost !== undefined) peers.push(await startBifrost(programs.bifrost, upstream));
  if (programs.litellm !== undefined) peers.push(await startLitellm(programs.litellm, upstream));
  return peers;
}

/** From npm. It streams only with its HTTP adapter held at an older version. */
async function startPortkey(upstream: string): Promise<Peer> {
  const folder = join(tmpdir(), `sluice-bench-portkey-${portkeyVersion}`);
  const gateway = join(folder, 'node_modules', '@portkey-ai', 'gateway');
  if (!existsSync(join(gateway, 'package.json'))) installPortkey(folder);
  const { bin } = JSON.parse(readFileSync(join(gateway, 'package.json'), 'utf8'));
  const entry = join(gateway, typeof bin === 'string' ? bin : (Object.values(bin).map(String)[0] ?? ''));
  const port = await freePort();
  const started = await start(
    [entry, `--port=${port}`, '--headless'],
    /running|Ready|listening|http/i,
    { NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: '127.0.0.1,localhost' },
    folder,
  );
  const headers = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${upstream}/v1` };
  return asPeer(started, { name: 'Portkey', port, share: PORTKEY_SHARE, headers });
}

function installPortkey(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const dependencies = { '@portkey-ai/gateway': portkeyVersion };
  const overrides = { '@hono/node-server': '1.14.1' };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies, overrides }));
  execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd: folder,
    stdio: 'inherit',
  });
}

async function startBifrost(program: string, upstream: string): Promise<Peer> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-bifrost-'));
  const openai = {
    keys: [{ name: 'only', value: 'x', models: ['*'], weight: 1 }],
    network_config: { base_url: upstream },
    concurrency_and_buffer_size: { concurrency: 1_000, buffer_size: 5_000 },
  };
  const config = {
    client: { enable_logging: false, drop_excess_requests: false },
    config_store: { enabled: false },
    logs_store: { enabled: false },
    providers: { openai },
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  const port = await freePort();
  const args = ['-app-dir', folder, '-host', '127.0.0.1', '-port', String(port), '-log-level', 'info'];
  const started = await startProgram(program, args, /started bifrost/i);
  return asPeer(started, { name: 'Bifrost', port, share: BIFROST_SHARE, folder });
}

async function startLitellm(program: string, upstream: string): Promise<Peer> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-litellm-'));
  const config = join(folder, 'config.yaml');
  writeFileSync(
    config,
    `model_list:
  - model_name: "openai/*"
    litellm_params: { model: "openai/*", api_key: x, api_base: "${upstream}/v1" }
general_settings: { master_key: x }
`,
  );
  const port = await freePort();
  const args = ['--config', config, '--host', '127.0.0.1', '--port', String(port)];
  // Prices would be fetched from the network.
  const started = await startProgram(program, args, /Uvicorn running on/, { LITELLM_LOCAL_MODEL_COST_MAP: 'True' });
  return asPeer(started, { name: 'LiteLLM', port, share: LITELLM_SHARE, folder });
}

interface Described {
  readonly name: string;
  readonly port: number;
  readonly share: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Removed at its end. */
  readonly folder?: string;
}

function asPeer(started: Started, { name, port, share, headers, folder }: Described): Peer {
  return {
    ...started,
    name,
    share,
    url: `http://127.0.0.1:${port}`,
    headers: { authorization: 'Bearer x', ...headers },
    settle: async () => undefined,
    stop: async () => {
      await started.stop();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
