import type { DownloadHeaders } from '../blob-files.ts';
import type { S3Connection } from './s3-settings.ts';
import { objectIn } from './s3-upload.ts';

/** A client follows the link at once; a download that has begun may take longer. */
const LINK_SECONDS = 60;

/**
 * A URL that reads an object without credentials, with these headers of the response. No request is sent.
 * @param now milliseconds since 1970
 */
export async function presignedUrl(
  connection: S3Connection,
  key: string,
  { contentType, contentDisposition }: DownloadHeaders,
  now: number,
): Promise<string> {
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
  const command = new connection.sdk.GetObjectCommand({
    ...objectIn(connection, key),
    ResponseCacheControl: 'private, no-store',
    ResponseContentType: contentType,
    ResponseContentDisposition: contentDisposition,
  });
  return getSignedUrl(connection.client, command, { expiresIn: LINK_SECONDS, signingDate: new Date(now) });
}
