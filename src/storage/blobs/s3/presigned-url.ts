import { createHash, createHmac } from 'node:crypto';
import { z } from 'zod';
import type { DownloadHeaders } from '../blob-files.ts';
import type { S3Connection } from './s3-settings.ts';
import { objectIn } from './s3-upload.ts';

/** A client follows the link at once; a download that has begun may take longer. */
const LINK_SECONDS = 60;
const ALGORITHM = 'AWS4-HMAC-SHA256';

const requestForm = z.object({
  protocol: z.string(),
  hostname: z.string(),
  port: z.number().optional(),
  path: z.string(),
  query: z.record(z.string(), z.string()),
});

type UnsignedRequest = z.infer<typeof requestForm>;

/**
 * A URL that reads an object without credentials, with these headers of the response. No request is sent. Source:
 * docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html.
 * @param now milliseconds since 1970
 */
export async function presignedUrl(
  connection: S3Connection,
  key: string,
  headers: DownloadHeaders,
  now: number,
): Promise<string> {
  const { config } = connection.client;
  const { protocol, path, query, ...address } = await unsignedRequest(connection, key, headers);
  const host = address.port === undefined ? address.hostname : `${address.hostname}:${address.port}`;
  const [{ accessKeyId, secretAccessKey, sessionToken }, region] = [await config.credentials(), await config.region()];
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = [time.slice(0, 8), region, 's3', 'aws4_request'];
  const parameters = {
    ...query,
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Credential': [accessKeyId, ...scope].join('/'),
    'X-Amz-Date': time,
    'X-Amz-Expires': String(LINK_SECONDS),
    ...(sessionToken !== undefined && { 'X-Amz-Security-Token': sessionToken }),
    'X-Amz-SignedHeaders': 'host',
  };
  const sorted = Object.entries(parameters)
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .toSorted()
    .join('&');
  const canonical = ['GET', path, sorted, `host:${host}`, '', 'host', 'UNSIGNED-PAYLOAD'].join('\n');
  const text = [ALGORITHM, time, scope.join('/'), createHash('sha256').update(canonical).digest('hex')].join('\n');
  const signingKey = scope.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  return `${protocol}//${host}${path}?${sorted}&X-Amz-Signature=${hmac(signingKey, text).toString('hex')}`;
}

/** As the SDK would send it: it knows the address of a bucket. */
async function unsignedRequest(
  connection: S3Connection,
  key: string,
  { contentType, contentDisposition }: DownloadHeaders,
): Promise<UnsignedRequest> {
  const command = new connection.sdk.GetObjectCommand({
    ...objectIn(connection, key),
    ResponseCacheControl: 'private, no-store',
    ResponseContentType: contentType,
    ResponseContentDisposition: contentDisposition,
  });
  let built: unknown;
  command.middlewareStack.add(
    () => async (args) => {
      built = args.request;
      return { response: undefined, output: { $metadata: {} } };
    },
    { step: 'build', priority: 'low' },
  );
  await connection.client.send(command);
  return requestForm.parse(built);
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Percent-encodes all but the unreserved characters. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
