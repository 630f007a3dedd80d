import { buffer } from 'node:stream/consumers';
import type { SqlQueries } from '../../database/sql.ts';
import type { MasterKeys } from '../../secrets/master-keys.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import { ContentSeal } from '../content-log/content-seal.ts';
import { Resealer, type EncryptedContents } from './reseal.ts';
import { Rotation } from './rotation.ts';

/** The newest contents, of which some may be deleted while they are read. */
const CONTENTS = 5;

/** What stored values say of a key: they were encrypted under it, or under another one, or there are none. */
export type Evidence = 'confirms' | 'refutes' | 'none';

export interface EvidenceSources {
  readonly database: SqlQueries;
  readonly encrypted: EncryptedContents;
  /** Null where files are not read. */
  readonly blobs: Pick<BlobStore, 'get'> | null;
}

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
 * Whether the current key decrypts what is stored, of which some is tested. One value suffices: others can be corrupt. A key of a
 * content has no tag, so contents themselves are opened.
 */
export async function evidenceOf(keys: MasterKeys, { database, encrypted, blobs }: EvidenceSources): Promise<Evidence> {
  const resealer = new Resealer(keys, encrypted);
  // As if the next version encrypted: values of the current one are selected.
  const rotation = new Rotation({ database, resealer, version: keys.current.version + 1 });
  const found: Evidence[] = [];
  for (const { column, values } of await rotation.sample(['credentials']))
    found.push(...values.map((value) => evidence(resealer.reseal(column, value) !== null)));
  found.push(...(await ofItems(database, keys)));
  // Storage that is unavailable does not prevent a start.
  if (found.length === 0 && blobs !== null)
    found.push(await ofContents(database, blobs, keys).catch((): Evidence => 'none'));
  if (found.includes('confirms')) return 'confirms';
  return found.includes('refutes') ? 'refutes' : 'none';
}

function evidence(isDecrypted: boolean): Evidence {
  return isDecrypted ? 'confirms' : 'refutes';
}

async function ofItems(database: SqlQueries, keys: MasterKeys): Promise<Evidence[]> {
  const rows = await database.query<{ id: string; account_id: string; content: Buffer; wrapped_key: Buffer }>(
    'select id, account_id, content, wrapped_key from dataset_items order by id desc limit $1',
    [CONTENTS],
  );
  const seal = new ContentSeal(keys);
  return rows.map(({ id, account_id: accountId, content: bytes, wrapped_key: wrappedKey }) =>
    evidence(seal.open({ bytes, wrappedKey }, { accountId, eventId: id }) !== null),
  );
}

async function ofContents(database: SqlQueries, blobs: Pick<BlobStore, 'get'>, keys: MasterKeys): Promise<Evidence> {
  const rows = await database.query<StoredRow>(
    `select account_id, event_id, segment_id, position as first, position + length - 1 as last, wrapped_key
     from logged_contents where state = 'stored' order by event_id desc limit $1`,
    [CONTENTS],
  );
  const seal = new ContentSeal(keys);
  let reads = 0;
  for (const { account_id: accountId, event_id: eventId, segment_id, first, last, wrapped_key: wrappedKey } of rows) {
    // Null where it was removed meanwhile, or is in the folder of another instance.
    const part = await blobs.get(segment_id, accountId, { first, last });
    if (part === null) continue;
    reads++;
    if (seal.open({ bytes: await buffer(part.stream), wrappedKey }, { accountId, eventId }) !== null) return 'confirms';
  }
  return reads === 0 ? 'none' : 'refutes';
}
