import type { SqlClient } from '../../../database/sql.ts';
import { MasterKeys } from '../../../secrets/master-keys.ts';
import { CredentialVault } from '../../connections/credential-vault.ts';
import { derivePepper } from '../../keys/secrets/pepper.ts';
import {
  fingerprintOf,
  keyOf,
  MasterKeyError,
  MAX_VERSION,
  pepperOwner,
  resolveMasterKeys,
  type KnownMasterKeys,
  type MasterKeyRow,
  type Secrets,
} from '../master-key-rows.ts';

export interface KeysWithLoss extends KnownMasterKeys {
  /** The version of the current master key, where its secret is lost: the current one of `keys` replaces it. Null otherwise. */
  readonly replaces: number | null;
}

/** As `resolveMasterKeys`, but a secret that is no master key of the database becomes the next one. @throws MasterKeyError */
export function resolveWithLoss(secrets: Secrets, rows: readonly MasterKeyRow[]): KeysWithLoss {
  const { current, previous } = secrets;
  const [active] = rows;
  // With two, the previous one would count as the first master key, and what the current one decrypts as lost.
  if (active === undefined && previous !== null && previous !== current)
    throw new MasterKeyError(
      'No rotation was recorded in this database, so it has one master key. Set SLUICE_SECRET to it, and unset SLUICE_SECRET_PREVIOUS.',
    );
  const [given, before] = [current, previous].map((secret) => (secret === null ? null : keyOf(secret, rows)));
  if (active === undefined || given?.version === active.version || before?.version === active.version)
    return { ...resolveMasterKeys(secrets, rows), replaces: null };
  if (given)
    throw new MasterKeyError(
      `SLUICE_SECRET was replaced by version ${active.version}. If that one is lost, set SLUICE_SECRET to a new secret, and SLUICE_SECRET_PREVIOUS to the present value of SLUICE_SECRET.`,
    );
  if (previous !== null && previous !== current && !before)
    throw new MasterKeyError('SLUICE_SECRET_PREVIOUS is no master key of this database. Correct it, or unset it.');
  const version = active.version + 1;
  if (version > MAX_VERSION) throw new MasterKeyError('The master key was rotated too often.');
  const next = { version, masterKey: current };
  return { keys: new MasterKeys(before ? [next, before] : [next]), pending: null, replaces: active.version };
}

/** Stores that the current key of `keys` is the master key of the database from now on. @throws MasterKeyError */
export async function replaceLostKey(client: SqlClient, keys: MasterKeys): Promise<void> {
  const { version, masterKey } = keys.current;
  const { rowCount } = await client.query(
    `insert into master_key_versions (version, fingerprint, activated_at) values ($1, $2, clock_timestamp())
     on conflict (version) do nothing`,
    [version, fingerprintOf(masterKey)],
  );
  if (rowCount === 0) throw new MasterKeyError('Another process has replaced the master key meanwhile.');
  const vault = new CredentialVault(keys);
  for (const earlier of keys.known.slice(1)) {
    const pepper = derivePepper(earlier.masterKey, earlier.version).toString('base64');
    await client.query('update master_key_versions set sealed_pepper = $2 where version = $1', [
      earlier.version,
      vault.seal(pepper, pepperOwner(earlier.version)),
    ]);
  }
}

/** Records that nothing stored needs a key before the current one, where no such key is known. */
export async function recordCompletion(client: SqlClient, keys: MasterKeys): Promise<void> {
  if (keys.known.length > 1) return;
  await client.query(
    'update master_key_versions set completed_at = coalesce(completed_at, clock_timestamp()) where version = $1 and version > 1',
    [keys.current.version],
  );
}

/** Active API keys whose hash no known pepper makes. Those under another secret with the same version are not among them. */
export const LOST_API_KEYS = `
select count(*)::int as keys from api_keys
where kind = 'user' and revoked_at is null and pepper_version <> all($1::smallint[])
  and pepper_version not in (select version from master_key_versions where sealed_pepper is not null)`;
