import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import type { S3Settings } from '../../src/storage/blobs/s3/s3-settings.ts';
import { freePort } from './free-port.ts';
import { ProcessOutput } from './process-output.ts';
import { seaweedPath } from './tool-paths.ts';

export interface RunningS3 {
  readonly endpoint: string;
  /** Of a client of its own that is not part of the product. */
  readonly client: S3Client;
  /** Creates the bucket. */
  settings(bucket: string, prefix?: string): Promise<S3Settings>;
  /** As in a crash. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** As a host that is gone without a word: it takes connections and says nothing, until it is resumed. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

const s3Credentials = { accessKeyId: 'test-access-key', secretAccessKey: 'test-secret-key' };
/** No test takes so long, so that the store is not unavailable where it waits for a busy machine. */
const RETRY_MS = 100;
const UNREACHED_TIMEOUT_MS = 600_000;

/** Runs a suite with an S3 server; in CI it has to be there. */
export function describeWithS3(name: string, suite: () => void): void {
  if (seaweedPath !== null) describe(name, suite);
  else if (process.env.CI === 'true')
    test(`${name} finds an S3 server`, () => expect.fail('Install SeaweedFS: test/requirements.txt.'));
  else describe.skip(name, suite);
}

/** The environment of a product that stores in this bucket. */
export function s3Environment({ endpoint = '', bucket, prefix }: S3Settings): Record<string, string> {
  return {
    S3_BUCKET: bucket,
    S3_ENDPOINT: endpoint,
    S3_FORCE_PATH_STYLE: 'on',
    S3_ACCESS_KEY_ID: s3Credentials.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3Credentials.secretAccessKey,
    ...(prefix !== '' && { S3_PREFIX: prefix }),
  };
}

/** Volumes are registered after the server has started to listen. */
async function whenWritable(client: S3Client): Promise<void> {
  const Bucket = 'started';
  for (;;)
    try {
      await client.send(new CreateBucketCommand({ Bucket })).catch(() => undefined);
      await client.send(new PutObjectCommand({ Bucket, Key: 'probe', Body: 'probe' }));
      return;
    } catch {
      await setTimeout(RETRY_MS);
    }
}

/** SeaweedFS: a server of its own on free ports, whose data survive a crash. */
export async function startS3(): Promise<RunningS3> {
  if (seaweedPath === null) throw new Error('No S3 server is installed.');
  const folder = mkdtempSync(join(tmpdir(), 'sluice-s3-'));
  const config = join(folder, 's3.json');
  const { accessKeyId: accessKey, secretAccessKey: secretKey } = s3Credentials;
  const identity = {
    name: 'test',
    credentials: [{ accessKey, secretKey }],
    actions: ['Admin', 'Read', 'Write', 'List'],
  };
  writeFileSync(config, JSON.stringify({ identities: [identity] }));
  const parts = ['master', 'volume', 'filer', 's3'];
  const ports: Record<string, number> = {};
  for (const part of parts) for (const kind of ['port', 'port.grpc']) ports[`${part}.${kind}`] = await freePort();
  const options = [
    ['dir', folder],
    ['ip', '127.0.0.1'],
    ['ip.bind', '127.0.0.1'],
    ['filer', 'true'],
    ['s3', 'true'],
    ['s3.config', config],
    ['s3.iam', 'false'],
    ['s3.autoCreateBucket', 'false'],
    ['s3.port.iceberg', '0'],
    ['s3.port.lance', '0'],
    ['master.telemetry', 'false'],
    // A restart waits for its leader.
    ['master.electionTimeout', '1s'],
    ['master.heartbeatInterval', '100ms'],
    ['master.volumeSizeLimitMB', '64'],
    ['volume.max', '64'],
    ...Object.entries(ports),
  ].map(([name, value]) => `-${name}=${value}`);
  const endpoint = `http://127.0.0.1:${ports['s3.port']}`;
  const client = new S3Client({ endpoint, region: 'us-east-1', credentials: s3Credentials, forcePathStyle: true });
  let server: ChildProcess | null = null;

  const start = async (): Promise<void> => {
    const started = spawn(seaweedPath ?? 'weed', ['server', ...options], {
      cwd: folder,
      env: { ...process.env, WEED_S3_SSE_KEY: 'a key of tests' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    server = started;
    await new ProcessOutput(started).whenStarted(
      'weed',
      (text) => text.includes('Start Seaweed S3 API Server') || null,
    );
    await whenWritable(client);
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
    endpoint,
    client,
    settings: async (bucket, prefix = '') => {
      await client.send(new CreateBucketCommand({ Bucket: bucket }));
      return {
        bucket,
        endpoint,
        credentials: s3Credentials,
        forcePathStyle: true,
        prefix,
        timeoutMs: UNREACHED_TIMEOUT_MS,
      };
    },
    kill,
    start,
    pause: () => void server?.kill('SIGSTOP'),
    resume: () => void server?.kill('SIGCONT'),
    stop: async () => {
      client.destroy();
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
