import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { BlobStore } from '../../src/storage/blob-store.ts';
import { S3Files } from '../../src/storage/blobs/s3/s3-files.ts';
import type { S3Settings } from '../../src/storage/blobs/s3/s3-settings.ts';
import { PART_BYTES } from '../../src/storage/blobs/s3/s3-upload.ts';
import { startS3Proxy, type S3Proxy } from '../harness/s3-proxy.ts';
import { describeWithS3, s3Environment, startS3, type RunningS3 } from '../harness/s3.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';

const HOUR_MS = 3_600_000;
const BUCKET = 'killed';

describeWithS3('uploads to a bucket of a server that is killed', () => {
  let s3: RunningS3;
  let proxy: S3Proxy;
  let settings: S3Settings;
  let server: ServerProcess;

  beforeAll(async () => {
    s3 = await startS3();
    proxy = await startS3Proxy(s3.endpoint);
    settings = await s3.settings(BUCKET);
    server = await startServer(s3Environment({ ...settings, endpoint: proxy.endpoint }));
  });
  afterAll(async () => {
    await server.dispose();
    await proxy.close();
    await s3.stop();
  });

  const files = (): OpenAI.Files =>
    new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.apiKey, maxRetries: 0 }).files;

  async function upload(bytes: Buffer): Promise<string> {
    return (await files().create({ file: await toFile(bytes, 'data.bin'), purpose: 'user_data' })).id;
  }

  async function keys(): Promise<string[]> {
    const { Contents = [] } = await s3.client.send(new ListObjectsV2Command({ Bucket: BUCKET }));
    return Contents.map(({ Key = '' }) => Key);
  }

  async function uploads(): Promise<number> {
    const { Uploads = [] } = await s3.client.send(new ListMultipartUploadsCommand({ Bucket: BUCKET }));
    return Uploads.length;
  }

  it('lose nothing that was acknowledged, and leave what the sweep of the next day removes', async () => {
    const acknowledged = new Map<string, Buffer>();
    const store = async (size: number): Promise<void> => {
      const bytes = randomBytes(size);
      acknowledged.set(await upload(bytes), bytes);
    };
    await store(1_000);
    await store(2 * PART_BYTES + 1);
    const isComplete = ({ method, url = '' }: IncomingMessage): boolean =>
      method === 'POST' && url.includes('uploadId=');
    const isSecondPart = ({ url = '' }: IncomingMessage): boolean => url.includes('partNumber=2');
    // Killed with a part in the store; with all parts and no object; and with an object that the server does not know of.
    for (const [fits, isForwarded] of [
      [isSecondPart, false],
      [isComplete, false],
      [isComplete, true],
    ] as const) {
      const reached = proxy.withhold(fits, isForwarded);
      const failing = upload(randomBytes(3 * PART_BYTES)).then(
        () => 'acknowledged',
        () => 'failed',
      );
      await reached;
      await server.end('SIGKILL');
      expect(await failing).toBe('failed');
      server = await server.restart();
      await store(PART_BYTES + 1);
    }
    const listed: string[] = [];
    for await (const { id } of files().list()) listed.push(id);
    expect(listed.toSorted()).toEqual([...acknowledged.keys()].toSorted());
    for (const [id, bytes] of acknowledged) {
      const content = Buffer.from(await (await files().content(id)).arrayBuffer());
      expect(content.equals(bytes)).toBe(true);
    }
    await server.end('SIGTERM');
    expect(await uploads()).toBe(2);
    expect(await keys()).toHaveLength(acknowledged.size + 1);

    const database = await openDatabase(server.database);
    const bucket = new S3Files(settings);
    const blobs = new BlobStore(database, join(server.dataDir, 'blobs'), { files: bucket, isTarget: true });
    await blobs.sweep(new Date(Date.now() + 25 * HOUR_MS));
    expect(await uploads()).toBe(0);
    expect(await keys()).toHaveLength(acknowledged.size);
    await bucket.close();
    await database.close();
    server = await server.restart();
    for (const [id, bytes] of acknowledged)
      expect(Buffer.from(await (await files().content(id)).arrayBuffer()).equals(bytes)).toBe(true);
  });
});
