import { isObject } from './json.ts';

const DATABASE = 'sluice';
const RESULTS = 'results';
const BY_TIME = 'storedAt';
/** Limits over all users and accounts. Above either, the oldest results are deleted. */
const MAX_RESULTS = 20;
const MAX_TOTAL_BYTES = 256 * 1024 * 1024;

interface StoredResult {
  /** Starts with the owner. */
  readonly place: string;
  /** Milliseconds since 1970. */
  readonly storedAt: number;
  readonly bytes: number;
  readonly result: unknown;
}

/**
 * Stores a result in this browser, replacing the previous one. Without a database or space, the previous result is deleted too:
 * it could be mistaken for this one.
 */
export async function storeResult(place: string, result: unknown): Promise<void> {
  const stored: StoredResult = { place, storedAt: Date.now(), bytes: bytesOf(result), result };
  await removeResults(place);
  await withResults('readwrite', (results) => {
    results.put(stored);
    removeOldest(results);
  });
}

/** Untrusted; null if nothing is stored. */
export async function readResult(place: string): Promise<unknown> {
  const found = await withResults<unknown>('readonly', (results) => results.get(place));
  return isObject(found) ? found.result : null;
}

/** Deletes the result at a place, and all at places below it (separated by a dot). */
export async function removeResults(place: string): Promise<void> {
  await withResults('readwrite', (results) => {
    results.delete(place);
    results.delete(IDBKeyRange.bound(`${place}.`, `${place}.\uFFFF`));
  });
}

export async function removeAllResults(): Promise<void> {
  await withResults('readwrite', (results) => {
    results.clear();
  });
}

function removeOldest(results: IDBObjectStore): void {
  let count = 0;
  let bytes = 0;
  const newestFirst = results.index(BY_TIME).openCursor(null, 'prev');
  newestFirst.addEventListener('success', () => {
    const cursor = newestFirst.result;
    if (cursor === null) return;
    const stored: unknown = cursor.value;
    count += 1;
    bytes += isObject(stored) && typeof stored.bytes === 'number' ? stored.bytes : 0;
    if (count > MAX_RESULTS || bytes > MAX_TOTAL_BYTES) cursor.delete();
    cursor.continue();
  });
}

function bytesOf(value: unknown): number {
  if (value instanceof Blob) return value.size;
  if (typeof value === 'string') return value.length * 2;
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + bytesOf(each), 0);
  return isObject(value) ? bytesOf(Object.values(value)) : 8;
}

/** @returns null without a database, permission or space, as in private windows */
async function withResults<T>(
  mode: IDBTransactionMode,
  operation: (results: IDBObjectStore) => IDBRequest<T> | void,
): Promise<T | null> {
  try {
    const database = await connectDatabase();
    return await new Promise<T | null>((resolve, reject) => {
      const transaction = database.transaction(RESULTS, mode);
      const request = operation(transaction.objectStore(RESULTS));
      transaction.addEventListener('complete', () => resolve(request?.result ?? null));
      transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('aborted')));
    });
  } catch {
    return null;
  }
}

let connection: Promise<IDBDatabase> | null = null;

function connectDatabase(): Promise<IDBDatabase> {
  connection ??= openDatabase().catch((error: unknown) => {
    connection = null;
    throw error;
  });
  return connection;
}

async function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  return new Promise((resolve, reject) => {
    request.addEventListener('upgradeneeded', () => {
      request.result.createObjectStore(RESULTS, { keyPath: 'place' }).createIndex(BY_TIME, 'storedAt');
    });
    request.addEventListener('success', () => {
      const database = request.result;
      const onClose = (): void => {
        database.close();
        connection = null;
      };
      // Another tab upgrades the database, or the user clears site data.
      database.addEventListener('versionchange', onClose);
      database.addEventListener('close', onClose);
      resolve(database);
    });
    request.addEventListener('error', () => reject(request.error ?? new Error('no database')));
  });
}
