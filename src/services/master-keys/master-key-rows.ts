import type { Database } from '../../database/database.ts';
import type { SqlQueries } from '../../database/sql.ts';
import { deriveKey } from '../../secrets/derived-keys.ts';
import { MasterKeys, type MasterKey } from '../../secrets/master-keys.ts';
import { CredentialVault, UnsealError, type SealedFor } from '../connections/credential-vault.ts';
import { derivePepper } from '../keys/secrets/pepper.ts';
import { evidenceOf, type EvidenceSources } from './evidence.ts';

const FIRST_VERSION = 1;
export const MAX_VERSION = 32_767;
const FINGERPRINT_BYTES = 16;
/** What to do where a secret cannot be found again. */
export const IF_LOST = 'If it is lost for good, `sluice secrets discard` removes what is under it.';

/** The secrets of the operator. */
export interface Secrets {
  readonly current: string;
  /** Null outside of a rotation. */
  readonly previous: string | null;
}

/** A row of `master_key_versions`. */
export interface MasterKeyRow {
  readonly version: number;
  readonly fingerprint: Buffer;
  /** Milliseconds since the epoch. */
  readonly activated_ms: number;
  /** When nothing stored needed an earlier key any more; null where a rotation to it is not complete. */
  readonly completed_ms: number | null;
  readonly sealed_pepper: Buffer | null;
}

/** What a process knows of the master keys. */
export interface KnownMasterKeys {
  readonly keys: MasterKeys;
  /** The version that `SLUICE_SECRET` gets when it is activated; null where it is the current one. */
  readonly pending: number | null;
}

/** Secrets that are not those of the database. */
export class MasterKeyError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MasterKeyError';
  }
}

/** Newest first; none before the first start, and before the migration that adds the table. */
export async function masterKeyRows(database: SqlQueries): Promise<MasterKeyRow[]> {
  const [table] = await database.query<{ exists: boolean }>(
    "select to_regclass('master_key_versions') is not null as exists",
  );
  if (table?.exists !== true) return [];
  return database.query<MasterKeyRow>(
    // The column may not exist before a migration.
    `select version, fingerprint, (extract(epoch from activated_at) * 1000)::float8 as activated_ms, sealed_pepper,
       (extract(epoch from (to_jsonb(t) ->> 'completed_at')::timestamptz) * 1000)::float8 as completed_ms
     from master_key_versions t order by version desc`,
  );
}

/**
 * Which key is which. The database says which one encrypts, so that all processes change at once: until the rotation activates
 * it, `SLUICE_SECRET` only decrypts while there is a previous one.
 * @throws MasterKeyError
 */
export function resolveMasterKeys({ current, previous }: Secrets, rows: readonly MasterKeyRow[]): KnownMasterKeys {
  const other = previous === current ? null : previous;
  const [active] = rows;
  if (active === undefined) {
    if (other === null) return { keys: MasterKeys.of(current), pending: null };
    return pendingKeys({ version: FIRST_VERSION, masterKey: other }, current);
  }
  const [given, before] = [current, other].map((secret) => (secret === null ? null : keyOf(secret, rows)));
  if (given?.version === active.version) {
    if (other !== null && !before)
      throw new MasterKeyError('SLUICE_SECRET_PREVIOUS is no master key of this database. Correct it, or unset it.');
    return { keys: new MasterKeys(before ? [given, before] : [given]), pending: null };
  }
  if (given === null && before?.version === active.version) return pendingKeys(before, current);
  const advice =
    given !== null
      ? `It was replaced by version ${active.version}.`
      : other === null
        ? 'Set it to the current one; for a rotation, set SLUICE_SECRET_PREVIOUS to the current one in addition.'
        : 'Neither is SLUICE_SECRET_PREVIOUS. For a rotation, set SLUICE_SECRET_PREVIOUS to the current one.';
  throw new MasterKeyError(`SLUICE_SECRET is not the current master key of this database. ${advice} ${IF_LOST}`);
}

function pendingKeys(active: MasterKey, next: string): KnownMasterKeys {
  const version = active.version + 1;
  if (version > MAX_VERSION) throw new MasterKeyError('The master key was rotated too often.');
  return { keys: new MasterKeys([active, { version, masterKey: next }]), pending: version };
}

/** The version of a secret; null where it is no master key of the database. */
export function keyOf(secret: string, rows: readonly MasterKeyRow[]): MasterKey | null {
  const fingerprint = fingerprintOf(secret);
  const row = rows.find((each) => fingerprint.equals(each.fingerprint));
  if (row === undefined) return null;
  const isFirst = row.version === FIRST_VERSION;
  return { version: row.version, masterKey: secret, ...(!isFirst && { activeSince: row.activated_ms }) };
}

export function fingerprintOf(secret: string): Buffer {
  return deriveKey(secret, '', 'sluice/master-key-fingerprint/1', FINGERPRINT_BYTES);
}

/** Peppers of master keys that are not known any more, by version. @throws MasterKeyError */
export function retiredPeppers(keys: MasterKeys, rows: readonly MasterKeyRow[]): ReadonlyMap<number, Buffer> {
  const vault = new CredentialVault(keys);
  const peppers = new Map<number, Buffer>();
  for (const { version, sealed_pepper: sealed } of rows)
    if (sealed !== null && keys.find(version) === null) peppers.set(version, openPepper(vault, sealed, version));
  return peppers;
}

function openPepper(vault: CredentialVault, sealed: Buffer, version: number): Buffer {
  try {
    return Buffer.from(vault.open(sealed, pepperOwner(version)), 'base64');
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error;
    throw new MasterKeyError(
      `SLUICE_SECRET does not decrypt the pepper of API keys of master key ${version}, because a rotation is not complete. Set SLUICE_SECRET_PREVIOUS, and run \`sluice secrets rotate\`. ${IF_LOST}`,
    );
  }
}

export function pepperOwner(version: number | string): SealedFor {
  return { accountId: '', rowId: `master-key/${version}/pepper` };
}

/**
 * Stores by what the current key is recognized, where that is not stored yet: at the first start, and at the first one of a version that
 * does so. Of processes that start together, the first one decides.
 * @throws MasterKeyError where what is stored is under another key, or it cannot be known whether it is
 */
export async function recordFirstKey({ keys, pending }: KnownMasterKeys, sources: EvidenceSources): Promise<void> {
  const { database } = sources;
  const name = pending === null ? 'SLUICE_SECRET' : 'SLUICE_SECRET_PREVIOUS';
  const evidence = await evidenceOf(keys, sources);
  if (evidence === 'refutes')
    throw new MasterKeyError(
      `${name} does not decrypt what is stored in this database. Set it to the secret that the database was used with. ${IF_LOST}`,
    );
  if (evidence === 'none' && pending !== null && (await hasApiKeys(database)))
    throw new MasterKeyError(
      'SLUICE_SECRET_PREVIOUS cannot be verified, because nothing is stored that it encrypted. Start a server once with the present SLUICE_SECRET alone, before you change it.',
    );
  await database.query(
    `insert into master_key_versions (version, fingerprint, activated_at) values ($1, $2, clock_timestamp())
     on conflict (version) do nothing`,
    [keys.current.version, fingerprintOf(keys.current.masterKey)],
  );
}

/** Their hashes depend on the key, and do not say which one it was. */
async function hasApiKeys(database: SqlQueries): Promise<boolean> {
  return (await database.query('select from api_keys limit 1')).length > 0;
}

/** Records that nothing stored needs an earlier key than this version any more. */
export async function completeRotation(database: SqlQueries, version: number): Promise<void> {
  await database.query(
    'update master_key_versions set completed_at = coalesce(completed_at, clock_timestamp()) where version = $1',
    [version],
  );
}

/** Makes the pending key the current one, for all processes. The rows of both are written in one transaction. */
export async function activate(
  database: Pick<Database, 'transaction'>,
  keys: MasterKeys,
  pending: number,
): Promise<void> {
  const before = keys.current;
  const next = keys.find(pending);
  if (next === null) throw new RangeError(`There is no master key of version ${pending}`);
  const pepper = derivePepper(before.masterKey, before.version).toString('base64');
  const sealed = new CredentialVault([next]).seal(pepper, pepperOwner(before.version));
  const activatedMs = await database.transaction(async (client) => {
    const insert = `insert into master_key_versions (version, fingerprint, activated_at) values ($1, $2, clock_timestamp())
      on conflict (version) do nothing`;
    await client.query(insert, [before.version, fingerprintOf(before.masterKey)]);
    await client.query(insert, [next.version, fingerprintOf(next.masterKey)]);
    const { rows } = await client.query<{ fingerprint: Buffer; activated_ms: number }>(
      `select fingerprint, (extract(epoch from activated_at) * 1000)::float8 as activated_ms from master_key_versions where version = $1`,
      [next.version],
    );
    const [row] = rows;
    if (row === undefined || !fingerprintOf(next.masterKey).equals(row.fingerprint))
      throw new MasterKeyError('Another rotation has activated another master key meanwhile.');
    await client.query(
      'update master_key_versions set sealed_pepper = coalesce(sealed_pepper, $2) where version = $1',
      [before.version, sealed],
    );
    return row.activated_ms;
  });
  keys.activate(pending, activatedMs);
}
