import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openBucket } from '../../../src/composition/storage.ts';
import { parseEnvironment } from '../../../src/config/environment.ts';
import type { WrittenFile } from '../../../src/storage/blobs/blob-files.ts';
import { S3Files } from '../../../src/storage/blobs/s3/s3-files.ts';
import type { S3Settings } from '../../../src/storage/blobs/s3/s3-settings.ts';
import { PART_BYTES } from '../../../src/storage/blobs/s3/s3-upload.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { recordS3, type RecordedS3 } from '../../harness/recorded-s3.ts';

const KEY = 'media/server/00000000-0000-4000-8000-000000000000';
const LIMIT = 1_000_000_000;
const MAX_CONCURRENT_WRITES = 8;
const TIMEOUT_MS = 600_000;
const credentials = { accessKeyId: 'configured', secretAccessKey: 'secret' };

let s3: RecordedS3;
let opened: S3Files[];

beforeEach(async () => {
  s3 = await recordS3();
  opened = [];
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const files of opened) await files.close();
  await s3.close();
});

function open(more: Partial<S3Settings> = {}, clock?: FakeClock): S3Files {
  const basic = { bucket: 'bucket', endpoint: s3.endpoint, forcePathStyle: true, prefix: '', timeoutMs: TIMEOUT_MS };
  const files = new S3Files({ ...basic, credentials, ...more }, clock);
  opened.push(files);
  return files;
}

async function write(files: S3Files, content: Parameters<S3Files['write']>[1]): Promise<void> {
  const written = await files.write(KEY, content, LIMIT);
  await written.commit();
}

async function* inPieces(...pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* pieces;
}

describe('requests to the store', () => {
  it('have the headers of encryption with a key of KMS where an object begins, and on no other', async () => {
    const files = openBucket(
      parseEnvironment(
        {
          S3_BUCKET: 'bucket',
          S3_ENDPOINT: s3.endpoint,
          S3_FORCE_PATH_STYLE: 'on',
          S3_ACCESS_KEY_ID: 'configured',
          S3_SECRET_ACCESS_KEY: 'secret',
          S3_SERVER_SIDE_ENCRYPTION: 'aws:kms',
          S3_KMS_KEY_ID: 'arn:aws:kms:eu-central-1:1:key/one',
        },
        [],
      ),
    );
    if (files === null) throw new Error('no bucket');
    opened.push(files);
    await write(files, Buffer.alloc(10));
    await write(files, inPieces(Buffer.alloc(PART_BYTES), Buffer.alloc(10)));
    const sent = s3.requests.map(({ method, path, headers }) => [
      method,
      path.replace(/^[^?]*\??/, '').replace(/&?x-id=\w+/, ''),
      headers['x-amz-server-side-encryption'],
      headers['x-amz-server-side-encryption-aws-kms-key-id'],
    ]);
    const key = 'arn:aws:kms:eu-central-1:1:key/one';
    expect(sent).toEqual([
      ['PUT', '', 'aws:kms', key],
      ['POST', 'uploads=', 'aws:kms', key],
      ['PUT', expect.stringContaining('partNumber=1'), undefined, undefined],
      ['PUT', expect.stringContaining('partNumber=2'), undefined, undefined],
      ['POST', expect.stringContaining('uploadId=the-upload'), undefined, undefined],
    ]);
  });

  it('use one kept connection for the parts of a file, one after the other', async () => {
    await write(open(), inPieces(...Array.from({ length: 4 }, () => Buffer.alloc(PART_BYTES))));
    expect(s3.requests).toHaveLength(6);
    expect(new Set(s3.requests.map(({ fromPort }) => fromPort)).size).toBe(1);
    expect(s3.requests.filter(({ headers }) => headers.expect !== undefined)).toEqual([]);
  });
});

describe('a write to the store', () => {
  it('waits a bounded time for one of the others to end, and then fails with 503', async () => {
    const clock = new FakeClock();
    const files = open({ timeoutMs: 5_000 }, clock);
    const slow = Array.from({ length: MAX_CONCURRENT_WRITES }, () => Promise.withResolvers<Buffer>());
    const stalled = async function* (at: number): AsyncGenerator<Buffer> {
      yield (await slow[at]?.promise) ?? Buffer.alloc(0);
    };
    const writes = slow.map((_, at) => files.write(KEY, stalled(at), LIMIT));
    const [late, later] = [files.write(KEY, inPieces(Buffer.alloc(1)), LIMIT), files.write(KEY, inPieces(), LIMIT)];
    const failure = expect(late).rejects.toMatchObject({
      code: 'storage_unavailable',
      status: 503,
      retryAfterMs: 1_000,
      detail: expect.stringContaining('8 files were being written'),
    });
    const second = expect(later).rejects.toMatchObject({ code: 'storage_unavailable' });
    await clock.whenPending(2);
    clock.advance(4_999);
    expect(clock.pending).toBe(2);
    clock.advance(1);
    await Promise.all([failure, second]);
    // In memory already.
    await write(files, Buffer.alloc(10));
    expect(s3.requests).toHaveLength(1);
    // Who waits gets the slot that is given back, and nobody who gave up does.
    const next = files.write(KEY, inPieces(Buffer.alloc(1)), LIMIT);
    await clock.whenPending(1);
    slow[0]?.resolve(Buffer.from('content'));
    const [first] = writes;
    await (await first)?.commit();
    await (await next).discard();
    expect(clock.pending).toBe(0);
    for (const each of slow) each.resolve(Buffer.alloc(0));
    const rest: WrittenFile[] = await Promise.all(writes.slice(1));
    for (const written of rest) await written.discard();
  });
});

describe('credentials of the environment', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-aws-'));
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_PROFILE'])
      vi.stubEnv(name, undefined);
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(folder, 'credentials'));
    vi.stubEnv('AWS_CONFIG_FILE', join(folder, 'config'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const scope = (): (string | undefined)[] =>
    s3.requests.map(({ headers }) => /Credential=([^,]+),/.exec(headers.authorization ?? '')?.[1]);

  it('are those of variables, with the token of a session', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'of-variables');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    vi.stubEnv('AWS_SESSION_TOKEN', 'token');
    await write(open({ credentials: undefined }), Buffer.alloc(1));
    expect(scope()).toEqual([expect.stringMatching(/^of-variables\/\d{8}\/us-east-1\/s3\/aws4_request$/)]);
    expect(s3.requests[0]?.headers['x-amz-security-token']).toBe('token');
  });

  it('are those of the chosen profile of the shared files, with its region', async () => {
    await writeFile(
      join(folder, 'credentials'),
      '[default]\naws_access_key_id = of-default\naws_secret_access_key = s\n[storage]\naws_access_key_id = of-profile\naws_secret_access_key = s\n',
    );
    vi.stubEnv('AWS_PROFILE', 'storage');
    await write(open({ credentials: undefined, region: 'eu-central-1' }), Buffer.alloc(1));
    expect(scope()).toEqual([expect.stringMatching(/^of-profile\/\d{8}\/eu-central-1\/s3\/aws4_request$/)]);
  });

  it('are those of a role that the token of a file is exchanged for', async () => {
    const asked: URLSearchParams[] = [];
    const sts = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        asked.push(new URLSearchParams(body));
        const expiration = new Date(Date.now() + 3_600_000).toISOString();
        response
          .setHeader('content-type', 'text/xml')
          .end(
            `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>of-role</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>role-token</SessionToken><Expiration>${expiration}</Expiration></Credentials></AssumeRoleWithWebIdentityResult><ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></AssumeRoleWithWebIdentityResponse>`,
          );
      });
    });
    await new Promise<void>((resolve) => sts.listen(0, '127.0.0.1', resolve));
    await writeFile(join(folder, 'token'), 'the token of the pod');
    vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', join(folder, 'token'));
    vi.stubEnv('AWS_ROLE_ARN', 'arn:aws:iam::123456789012:role/storage');
    vi.stubEnv('AWS_ENDPOINT_URL_STS', `http://127.0.0.1:${(sts.address() as AddressInfo).port}`);
    vi.stubEnv('AWS_REGION', 'eu-central-1');
    const files = open({ credentials: undefined, region: 'eu-central-1' });
    await write(files, Buffer.alloc(1));
    await write(files, Buffer.alloc(1));
    expect(scope().map((text) => text?.split('/')[0])).toEqual(['of-role', 'of-role']);
    expect(s3.requests[0]?.headers['x-amz-security-token']).toBe('role-token');
    // They are kept until they expire.
    expect(asked.map((parameters) => [parameters.get('Action'), parameters.get('WebIdentityToken')])).toEqual([
      ['AssumeRoleWithWebIdentity', 'the token of the pod'],
    ]);
    sts.closeAllConnections();
    await new Promise((resolve) => sts.close(resolve));
  });

  it('sign links without a request, with the token of a session and the address of the bucket', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'of-variables');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    vi.stubEnv('AWS_SESSION_TOKEN', 'token');
    const amazon = { endpoint: undefined, forcePathStyle: false, region: 'eu-central-1', prefix: 'a/' };
    const files = open({ credentials: undefined, ...amazon });
    const url = new URL(await files.linkTo(KEY, { contentType: 'text/plain', contentDisposition: 'attachment' }));
    expect(url.origin + url.pathname).toBe(`https://bucket.s3.eu-central-1.amazonaws.com/a/${KEY}`);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      'X-Amz-Credential': expect.stringMatching(/^of-variables\/\d{8}\/eu-central-1\/s3\/aws4_request$/),
      'X-Amz-Security-Token': 'token',
      'X-Amz-SignedHeaders': 'host',
      'response-content-type': 'text/plain',
      'response-content-disposition': 'attachment',
    });
    expect(s3.requests).toEqual([]);
  });

  it('are replaced by those of the configuration', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'of-variables');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    await write(open(), Buffer.alloc(1));
    expect(scope()).toEqual([expect.stringMatching(/^configured\//)]);
  });
});
