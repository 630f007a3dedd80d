import type { CompletedPart } from '@aws-sdk/client-s3';
import { mapS3Errors } from './s3-errors.ts';
import type { S3Connection } from './s3-settings.ts';

/** Amazon's minimum is 5 MiB, and an upload has at most 10,000 parts: 80 GB. */
export const PART_BYTES = 8 * 1024 * 1024;

/** One multipart upload. While a part is sent, the next one can be read: at most two are in memory. */
export class S3Upload {
  readonly #connection: S3Connection;
  readonly #key: string;
  readonly #uploadId: string;
  readonly #parts: CompletedPart[] = [];
  #sending: Promise<void> = Promise.resolve();
  #count = 0;

  private constructor(connection: S3Connection, key: string, uploadId: string) {
    this.#connection = connection;
    this.#key = key;
    this.#uploadId = uploadId;
  }

  static async begin(connection: S3Connection, key: string): Promise<S3Upload> {
    const { sdk, client } = connection;
    const command = new sdk.CreateMultipartUploadCommand({ ...objectIn(connection, key), ...encryptionIn(connection) });
    const { UploadId: id } = await mapS3Errors(() => client.send(command));
    return mapS3Errors(async () => {
      if (id === undefined) throw new Error('the store returned no upload ID');
      return new S3Upload(connection, key, id);
    });
  }

  /** Waits until the previous part is stored. */
  async send(body: Uint8Array): Promise<void> {
    await this.#sending;
    const number = ++this.#count;
    this.#sending = this.#sendPart(number, body);
    // The next call, or `complete`, throws it.
    this.#sending.catch(() => undefined);
  }

  async finishSending(): Promise<void> {
    await this.#sending;
  }

  async complete(): Promise<void> {
    const { sdk, client } = this.#connection;
    const upload = { ...this.#target, MultipartUpload: { Parts: this.#parts } };
    await mapS3Errors(() => client.send(new sdk.CompleteMultipartUploadCommand(upload)));
  }

  /** What it cannot abort is aborted as abandoned. */
  async abort(): Promise<void> {
    const { sdk, client } = this.#connection;
    // A part that arrives after the abort would remain.
    await this.#sending.catch(() => undefined);
    await client.send(new sdk.AbortMultipartUploadCommand(this.#target)).catch(() => undefined);
  }

  get #target() {
    return { ...objectIn(this.#connection, this.#key), UploadId: this.#uploadId };
  }

  async #sendPart(number: number, body: Uint8Array): Promise<void> {
    const { sdk, client } = this.#connection;
    const command = new sdk.UploadPartCommand({ ...this.#target, PartNumber: number, Body: body });
    const { ETag: tag } = await mapS3Errors(() => client.send(command));
    this.#parts.push({ PartNumber: number, ...(tag !== undefined && { ETag: tag }) });
  }
}

/** @param key below the prefix */
export function objectIn({ settings: { bucket, prefix } }: S3Connection, key: string): { Bucket: string; Key: string } {
  return { Bucket: bucket, Key: `${prefix}${key}` };
}

export function encryptionIn({ settings: { serverSideEncryption, kmsKeyId } }: S3Connection) {
  return {
    ...(serverSideEncryption !== undefined && { ServerSideEncryption: serverSideEncryption }),
    ...(kmsKeyId !== undefined && { SSEKMSKeyId: kmsKeyId }),
  };
}
