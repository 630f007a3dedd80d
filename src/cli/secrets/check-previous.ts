import { buffer } from 'node:stream/consumers';
import type { OpenedMasterKeys } from '../../composition/master-keys.ts';
import { wireStorage } from '../../composition/storage.ts';
import type { Environment } from '../../config/environment.ts';
import type { Database } from '../../database/database.ts';
import { ContentSeals } from '../../gateway/reasoning/content-seals.ts';
import { ContentSeal } from '../../services/content-log/content-seal.ts';
import { Resealer } from '../../services/master-keys/reseal.ts';
import { rotationOf } from './open-rotation.ts';

/** The newest contents, of which some may be deleted while they are read. */
const CONTENTS = 5;

interface StoredRow {
  readonly account_id: string;
  readonly event_id: string;
  readonly segment_id: string;
  /** Of its bytes in the segment. */
  readonly first: number;
  readonly last: number;
  readonly wrapped_key: Buffer;
}

/**
 * Whether the previous secret, which is to be replaced, decrypts what is stored. A key of a content has no tag, so contents
 * themselves are opened.
 */
export async function isPreviousRight(
  database: Database,
  environment: Environment,
  dataDir: string,
  opened: OpenedMasterKeys,
): Promise<boolean> {
  const resealer = new Resealer(opened.keys, new ContentSeals(opened.keys));
  for (const [column, value] of await rotationOf(database, opened).samples())
    if (column.kind === 'credentials' && resealer.reseal(column, value) === null) return false;
  return (await opensItems(database, opened)) && opensContents(database, environment, dataDir, opened);
}

async function opensItems(database: Database, { keys }: OpenedMasterKeys): Promise<boolean> {
  const rows = await database.query<{ id: string; account_id: string; content: Buffer; wrapped_key: Buffer }>(
    'select id, account_id, content, wrapped_key from dataset_items order by id desc limit $1',
    [CONTENTS],
  );
  const seal = new ContentSeal(keys);
  return rows.every(
    ({ id, account_id: accountId, content: bytes, wrapped_key: wrappedKey }) =>
      seal.open({ bytes, wrappedKey }, { accountId, eventId: id }) !== null,
  );
}

/** False where contents were read, and none could be decrypted. */
async function opensContents(
  database: Database,
  environment: Environment,
  dataDir: string,
  { keys }: OpenedMasterKeys,
): Promise<boolean> {
  const rows = await database.query<StoredRow>(
    `select account_id, event_id, segment_id, position as first, position + length - 1 as last, wrapped_key
     from logged_contents where state = 'stored' order by event_id desc limit $1`,
    [CONTENTS],
  );
  if (rows.length === 0) return true;
  const { blobs, bucket } = wireStorage(database, dataDir, environment);
  const seal = new ContentSeal(keys);
  let reads = 0;
  try {
    for (const { account_id: accountId, event_id: eventId, segment_id, first, last, wrapped_key: wrappedKey } of rows) {
      // Null where it was removed meanwhile.
      const part = await blobs.get(segment_id, accountId, { first, last });
      if (part === null) continue;
      reads++;
      if (seal.open({ bytes: await buffer(part.stream), wrappedKey }, { accountId, eventId }) !== null) return true;
    }
    return reads === 0;
  } finally {
    await bucket?.close();
  }
}
