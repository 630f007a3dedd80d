/** The content type of blobs that are segments of logged content. */
export const SEGMENT_TYPE = 'application/vnd.sluice.content-segment';

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const blobId = new RegExp(`^${uuid}$`);
const objectKey = new RegExp(`^(?:content|files|batches|media)/(?:server|${uuid})/(${uuid})$`);

export function isBlobId(text: string): boolean {
  return blobId.test(text);
}

/**
 * The key of a blob's object, below the prefix of the bucket. It begins with the kind and the account, so that lifecycle rules and
 * inventories can select by them.
 */
export function objectKeyOf(blob: {
  readonly id: string;
  readonly accountId: string | null;
  readonly contentType: string;
}): string {
  return `${kindOf(blob.contentType)}/${blob.accountId ?? 'server'}/${blob.id}`;
}

const archiveKey = /^usage\/month=\d{4}-\d{2}\/(?:part-\d{5,}\.parquet|_manifest\.json)$/;

/** Whether it is the name of a file of the usage archive. */
export function isArchiveKey(key: string): boolean {
  return archiveKey.test(key);
}

/** Null for an object that is no blob. */
export function blobIdIn(key: string): string | null {
  return objectKey.exec(key)?.[1] ?? null;
}

function kindOf(contentType: string): 'content' | 'files' | 'batches' | 'media' {
  if (contentType === SEGMENT_TYPE) return 'content';
  if (/^application\/(?:x-)?jsonl$/.test(contentType)) return 'batches';
  return contentType === 'application/octet-stream' ? 'files' : 'media';
}
