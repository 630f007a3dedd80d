import { randomBytes } from 'node:crypto';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithS3, s3Environment, startS3, type RunningS3 } from '../../harness/s3.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';

describeWithS3('presigned downloads', () => {
  const bytes = randomBytes(100_000);
  let s3: RunningS3;
  let server: ServerProcess;
  let id: string;

  beforeAll(async () => {
    s3 = await startS3();
    server = await startServer({ ...s3Environment(await s3.settings('files')), S3_PRESIGNED_DOWNLOADS: 'on' });
    id = (await files().create({ file: await toFile(bytes, 'résumé.html'), purpose: 'user_data' })).id;
  });
  afterAll(async () => {
    await server.dispose();
    await s3.stop();
  });

  const files = (): OpenAI.Files =>
    new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.apiKey, maxRetries: 0 }).files;
  const content = (name: string, init: RequestInit = {}, key = server.apiKey): Promise<Response> =>
    fetch(`${server.url}/v1/files/${name}/content`, {
      redirect: 'manual',
      ...init,
      headers: { authorization: `Bearer ${key}`, ...init.headers },
    });

  it('redirect to the bucket, whose response has our headers, and the SDK follows', async () => {
    const response = await content(id);
    expect(response.status).toBe(302);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    const location = response.headers.get('location') ?? '';
    expect(new URL(location).origin).toBe(s3.endpoint);
    const stored = await fetch(location);
    expect(stored.headers.get('content-type')).toBe('application/octet-stream');
    expect(stored.headers.get('cache-control')).toBe('private, no-store');
    expect(stored.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''r%C3%A9sum%C3%A9.html");
    expect(Buffer.from(await stored.arrayBuffer()).equals(bytes)).toBe(true);
    const bySdk = await files().content(id);
    expect(bySdk.redirected).toBe(true);
    expect(Buffer.from(await bySdk.arrayBuffer()).equals(bytes)).toBe(true);
    expect(server.output()).not.toContain('X-Amz-Signature');
  });

  it('are streamed for a range and for HEAD', async () => {
    const part = await content(id, { headers: { range: 'bytes=10-19' } });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10, 20))).toBe(true);
    const head = await content(id, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '100000']);
  });

  it('are streamed for a key in a header that clients would send to the bucket, too', async () => {
    for (const name of ['x-api-key', 'api-key', 'x-goog-api-key']) {
      const response = await content(id, { headers: { [name]: server.apiKey } });
      expect([name, response.status]).toEqual([name, 200]);
      expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    }
  });

  it('need a key, and a file that it may read', async () => {
    expect((await content(id, {}, 'sk-wrong')).status).toBe(401);
    expect((await content('file-00000000000040008000000000000000')).status).toBe(404);
  });

  it('are streamed where the setting is off', async () => {
    await server.end('SIGTERM');
    server = await server.restart({ S3_PRESIGNED_DOWNLOADS: 'off' });
    const response = await content(id);
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  });
});
