import { createHash, createHmac } from 'node:crypto';
import type { UnsentRequest } from '../shared/http/http-upstream.ts';

const ALGORITHM = 'AWS4-HMAC-SHA256';

export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials. */
  readonly sessionToken?: string;
}

/** What a signature is valid for. */
export interface SignatureScope {
  /** `eu-central-1`. */
  readonly region: string;
  /** `bedrock`. */
  readonly service: string;
}

export interface SignedRequest {
  readonly method: string;
  /** Percent-encoded, with its query. */
  readonly path: string;
  /** The headers that are signed, by names in lower case: `host` and `x-amz-date` at least. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

/**
 * The headers that sign a `POST` request: names and values in turn.
 * @param host with its port, where it is not the usual one
 * @param now milliseconds since 1970
 */
export function signatureHeaders(
  { path, headers, body }: UnsentRequest,
  host: string,
  scope: SignatureScope,
  key: AccessKey,
  now: number,
): readonly string[] {
  const added = {
    'x-amz-content-sha256': sha256(body),
    'x-amz-date': new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, ''),
    ...(key.sessionToken !== undefined && { 'x-amz-security-token': key.sessionToken }),
  };
  const contentType = headers[headers.indexOf('content-type') + 1] ?? '';
  const signed = { 'content-type': contentType, host, ...added };
  const value = authorization({ method: 'POST', path, headers: signed, body }, scope, key);
  return [...Object.entries(added).flat(), 'authorization', value];
}

/**
 * The `Authorization` header of Signature Version 4. Source:
 * docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html.
 */
export function authorization(request: SignedRequest, { region, service }: SignatureScope, key: AccessKey): string {
  const date = request.headers['x-amz-date'] ?? '';
  const day = date.slice(0, 8);
  const credentialScope = `${day}/${region}/${service}/aws4_request`;
  const names = Object.keys(request.headers).sort();
  const text = [ALGORITHM, date, credentialScope, sha256(canonicalRequest(request, names))].join('\n');
  const signingKey = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${key.secretAccessKey}`);
  const signature = hmac(signingKey, text).toString('hex');
  const credential = `${key.accessKeyId}/${credentialScope}`;
  return `${ALGORITHM} Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
}

function canonicalRequest({ method, path, headers, body }: SignedRequest, names: readonly string[]): string {
  const [pathname = '', query = ''] = path.split('?');
  const lines = names.map((name) => `${name}:${(headers[name] ?? '').trim().replaceAll(/ +/g, ' ')}\n`);
  return [
    method,
    // Encoded twice, as for all services but Amazon S3.
    pathname.split('/').map(encoded).join('/'),
    query.split('&').sort().join('&'),
    lines.join(''),
    names.join(';'),
    headers['x-amz-content-sha256'] ?? sha256(body),
  ].join('\n');
}

/** Percent-encodes all but the unreserved characters. */
function encoded(segment: string): string {
  return encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
