import { Readable } from 'node:stream';
import type { ListMultipartUploadsCommandOutput, ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';
import { systemClock, type Clock } from '../../../calendar/clock.ts';
import type { BlobFiles, Content, DownloadHeaders, FileRange, ListedFile, WrittenFile } from '../blob-files.ts';
import { MeasuredContent } from '../measured-content.ts';
import { blobIdIn, isArchiveKey } from '../object-key.ts';
import { presignedUrl } from './presigned-url.ts';
import { isMissing, mapS3Errors, storageUnavailable } from './s3-errors.ts';
import { connectS3, type S3Connection, type S3Settings } from './s3-settings.ts';
import { objectStream } from './s3-stream.ts';
import { encryptionIn, objectIn, PART_BYTES, S3Upload } from './s3-upload.ts';
import { Slots } from './slots.ts';

/** Of content that is not in memory: each may have two parts there. */
const MAX_CONCURRENT_WRITES = 8;

/**
 * Objects in a bucket of an S3-compatible store, named by their keys below the prefix. A file of up to one part is sent when it is
 * committed, a larger one in parts, which become an object then.
 */
export class S3Files implements BlobFiles {
  readonly #settings: S3Settings;
  readonly #slots: Slots;
  readonly #clock: Clock;
  #connecting: Promise<S3Connection> | null = null;

  constructor(settings: S3Settings, clock: Clock = systemClock) {
    this.#settings = settings;
    this.#clock = clock;
    this.#slots = new Slots(MAX_CONCURRENT_WRITES, settings.timeoutMs, clock);
  }

  async write(key: string, content: Content, limit: number): Promise<WrittenFile> {
    // Clients that send slowly do not delay it.
    if (content instanceof Uint8Array) return this.#write(key, content, limit);
    const release = await this.#slots.acquire();
    try {
      const written = await this.#write(key, content, limit);
      return {
        ...written,
        commit: () => written.commit().finally(release),
        discard: () => written.discard().finally(release),
      };
    } catch (error) {
      release();
      throw error;
    }
  }

  async open(key: string, { first, last }: FileRange): Promise<Readable | null> {
    const connection = await this.#connect();
    const range = { ...objectIn(connection, key), Range: `bytes=${first}-${last}` };
    const command = new connection.sdk.GetObjectCommand(range);
    const found = await orNull(connection.client.send(command));
    if (found === null) return null;
    if (found.Body instanceof Readable) return objectStream(found.Body, this.#settings.timeoutMs);
    throw storageUnavailable(new Error('the store returned no body'));
  }

  async linkTo(key: string, headers: DownloadHeaders): Promise<string> {
    const connection = await this.#connect();
    return mapS3Errors(() => presignedUrl(connection, key, headers, this.#clock.now()));
  }

  async sizeOf(key: string): Promise<number | null> {
    const connection = await this.#connect();
    const command = new connection.sdk.HeadObjectCommand(objectIn(connection, key));
    const found = await orNull(connection.client.send(command));
    return found?.ContentLength ?? null;
  }

  async remove(key: string): Promise<void> {
    const connection = await this.#connect();
    await orNull(connection.client.send(new connection.sdk.DeleteObjectCommand(objectIn(connection, key))));
  }

  /** Aborts the uploads of blobs and of the usage archive; others in the bucket are left alone. */
  async removeAbandoned(before: Date): Promise<void> {
    const { sdk, client, settings } = await this.#connect();
    const { bucket: Bucket, prefix: Prefix } = settings;
    const failures: unknown[] = [];
    let position: { KeyMarker?: string; UploadIdMarker?: string } | null = {};
    while (position !== null) {
      const command = new sdk.ListMultipartUploadsCommand({ Bucket, Prefix, ...position });
      const page: ListMultipartUploadsCommandOutput = await mapS3Errors(() => client.send(command));
      for (const { Key = '', UploadId, Initiated } of page.Uploads ?? []) {
        const name = Key.slice(Prefix.length);
        const isOwn = blobIdIn(name) !== null || isArchiveKey(name);
        const isAbandoned = isOwn && Initiated !== undefined && Initiated < before;
        if (!isAbandoned || UploadId === undefined) continue;
        const abort = new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId });
        await orNull(client.send(abort)).catch((error: unknown) => failures.push(error));
      }
      const { IsTruncated: hasMore, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
      const next = {
        ...(KeyMarker !== undefined && { KeyMarker }),
        ...(UploadIdMarker !== undefined && { UploadIdMarker }),
      };
      position = hasMore && KeyMarker !== undefined ? next : null;
    }
    if (failures.length > 0) throw new AggregateError(failures, 'some abandoned uploads could not be aborted');
  }

  async *list(): AsyncGenerator<readonly ListedFile[]> {
    const { sdk, client, settings } = await this.#connect();
    const { bucket: Bucket, prefix: Prefix } = settings;
    let position: { ContinuationToken?: string } | null = {};
    while (position !== null) {
      const command = new sdk.ListObjectsV2Command({ Bucket, Prefix, ...position });
      const page: ListObjectsV2CommandOutput = await mapS3Errors(() => client.send(command));
      yield (page.Contents ?? []).flatMap(({ Key = '' }) => {
        const name = Key.slice(Prefix.length);
        const id = blobIdIn(name);
        return id === null ? [] : [{ id, name }];
      });
      const token: string | undefined = page.NextContinuationToken;
      position = page.IsTruncated && token !== undefined ? { ContinuationToken: token } : null;
    }
  }

  /** @throws SluiceError storage_unavailable, with the reason as its detail, if the bucket cannot be used */
  async check(): Promise<void> {
    const { sdk, client, settings } = await this.#connect();
    await mapS3Errors(() => client.send(new sdk.HeadBucketCommand({ Bucket: settings.bucket })));
  }

  /** Ends its connections. */
  async close(): Promise<void> {
    const connection = await this.#connecting?.catch(() => null);
    connection?.client.destroy();
  }

  #connect(): Promise<S3Connection> {
    this.#connecting ??= connectS3(this.#settings);
    return this.#connecting;
  }

  async #write(key: string, content: Content, limit: number): Promise<WrittenFile> {
    const connection = await this.#connect();
    const measured = new MeasuredContent(content, limit);
    const pending = new PendingPart();
    let upload: S3Upload | null = null;
    try {
      for await (const chunk of measured.read())
        for (const part of pending.add(chunk)) {
          upload ??= await S3Upload.begin(connection, key);
          await upload.send(part);
        }
      const rest = pending.take();
      if (upload !== null && rest.length > 0) await upload.send(rest);
      await upload?.finishSending();
      const { size } = measured;
      const written = { size, sha256: measured.sha256() };
      const parts = upload;
      if (parts !== null) return { ...written, commit: () => parts.complete(), discard: () => parts.abort() };
      return { ...written, commit: () => putObject(connection, key, rest), discard: async () => undefined };
    } catch (error) {
      await upload?.abort();
      throw error;
    }
  }
}

/** Gathers chunks until they are a part. */
class PendingPart {
  #chunks: Uint8Array[] = [];
  #size = 0;

  /** @returns complete parts */
  *add(chunk: Uint8Array): Generator<Uint8Array> {
    let rest = chunk;
    while (this.#size + rest.length > PART_BYTES) {
      const length = PART_BYTES - this.#size;
      this.#push(rest.subarray(0, length));
      rest = rest.subarray(length);
      yield this.take();
    }
    if (rest.length > 0) this.#push(rest);
  }

  take(): Uint8Array {
    const [only] = this.#chunks;
    const part = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#size = 0;
    return part;
  }

  #push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
  }
}

async function putObject(connection: S3Connection, key: string, body: Uint8Array): Promise<void> {
  const put = { ...objectIn(connection, key), ...encryptionIn(connection), Body: body };
  await mapS3Errors(() => connection.client.send(new connection.sdk.PutObjectCommand(put)));
}

/** Null where the object or the upload does not exist. @throws SluiceError storage_unavailable */
function orNull<T>(sent: Promise<T>): Promise<T | null> {
  return mapS3Errors(() =>
    sent.catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    }),
  );
}
