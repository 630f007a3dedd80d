import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type * as S3 from '@aws-sdk/client-s3';

/** Names and values are of the S3 API. */
export interface S3Settings {
  readonly bucket: string;
  /** Of a store that is not Amazon's. */
  readonly endpoint?: string | undefined;
  /** Where absent, that of the AWS SDK's configuration. */
  readonly region?: string | undefined;
  /** Where absent, those of the AWS SDK's default provider chain. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
  readonly forcePathStyle: boolean;
  /** Of all keys; empty, or ending with a slash. */
  readonly prefix: string;
  readonly serverSideEncryption?: 'AES256' | 'aws:kms' | undefined;
  readonly kmsKeyId?: string | undefined;
  /** Of each attempt. */
  readonly timeoutMs: number;
}

const MAX_ATTEMPTS = 3;
const MAX_SOCKETS = 256;
const MAX_CONNECT_MS = 5_000;

type Sdk = typeof S3;

export interface S3Connection {
  readonly sdk: Sdk;
  readonly client: InstanceType<Sdk['S3Client']>;
  readonly settings: S3Settings;
}

/** Loads the SDK, which a server without a bucket does not need. */
export async function connectS3(settings: S3Settings): Promise<S3Connection> {
  const sdk = await import('@aws-sdk/client-s3');
  const { endpoint, region, credentials, forcePathStyle, timeoutMs } = settings;
  const agent = { keepAlive: true, maxSockets: MAX_SOCKETS };
  // Other stores than Amazon's may not know the checksums that the SDK adds by itself. Bodies are signed with their SHA-256.
  const checksums = endpoint === undefined ? 'WHEN_SUPPORTED' : 'WHEN_REQUIRED';
  // A region is part of every signature; stores that have none accept this one.
  const signedRegion = region ?? (endpoint === undefined ? undefined : 'us-east-1');
  const client = new sdk.S3Client({
    ...(endpoint !== undefined && { endpoint }),
    ...(signedRegion !== undefined && { region: signedRegion }),
    ...(credentials !== undefined && { credentials }),
    forcePathStyle,
    maxAttempts: MAX_ATTEMPTS,
    // A round trip for each part, to spare the body where the store refuses it.
    expectContinueHeader: false,
    requestChecksumCalculation: checksums,
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: Math.min(timeoutMs, MAX_CONNECT_MS),
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
      // Of its own agents, the SDK makes another one for each large body, without a limit and without keep-alive.
      httpAgent: new Agent(agent),
      httpsAgent: new TlsAgent(agent),
    },
  });
  return { sdk, client, settings };
}
