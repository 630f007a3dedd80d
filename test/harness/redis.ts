import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { redisSettings } from '../../src/config/redis/redis-settings.ts';
import type { RedisServers } from '../../src/storage/redis/redis-servers.ts';
import { freePort } from './free-port.ts';
import { ProcessOutput } from './process-output.ts';
import { redisPath } from './tool-paths.ts';

export interface RunningRedis extends RedisProcess {
  readonly url: string;
  readonly servers: RedisServers;
}

export interface RedisProcess {
  /** As in a crash. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Removes what a durable one has stored; it must not run. */
  removeData(): void;
  /** As a host that is gone without a word: it takes connections and says nothing, until it is resumed. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

/** For `SLUICE_REDIS_TIMEOUT_MS` and the stores: no test takes so long, so that Redis is not unavailable where it waits for a busy machine. */
export const UNREACHED_TIMEOUT_MS = 600_000;

/** Runs a suite with a Redis server; in CI it has to be there. */
export function describeWithRedis(name: string, suite: () => void): void {
  if (redisPath !== null) describe(name, suite);
  else if (process.env.CI === 'true') test(`${name} finds a Redis server`, () => expect.fail('Install redis-server.'));
  else describe.skip(name, suite);
}

/** A server of its own on a free port. @param settings such as `--appendonly yes`: without it, a killed one has lost its data */
export async function startRedis(settings: readonly string[] = []): Promise<RunningRedis> {
  const port = await freePort();
  const server = await startRedisServer(['--port', String(port), ...settings]);
  const url = `redis://127.0.0.1:${port}`;
  return { ...server, url, servers: redisSettings({}, url) };
}

/** @param settings with a port; @param config a file with further ones, which has to come first */
export async function startRedisServer(settings: readonly string[], config?: string): Promise<RedisProcess> {
  if (redisPath === null) throw new Error('No Redis server is installed.');
  const folder = mkdtempSync(join(tmpdir(), 'sluice-redis-'));
  let server: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    const fixed = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
    const words = [...(config === undefined ? [] : [config]), ...fixed, ...settings];
    const started = spawn(redisPath ?? 'redis-server', words, { stdio: ['ignore', 'pipe', 'pipe'] });
    server = started;
    await new ProcessOutput(started).whenStarted(
      'redis-server',
      (text) => text.includes('Ready to accept connections') || text.includes('Sentinel ID is') || null,
    );
  };
  const kill = async (): Promise<void> => {
    const running = server;
    server = null;
    if (running === null || running.exitCode !== null) return;
    const gone = once(running, 'exit');
    running.kill('SIGKILL');
    await gone;
  };
  await start();
  return {
    kill,
    start,
    removeData: () => rmSync(join(folder, 'appendonlydir'), { recursive: true, force: true }),
    pause: () => void server?.kill('SIGSTOP'),
    resume: () => void server?.kill('SIGCONT'),
    stop: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
