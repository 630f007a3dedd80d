import { resolve } from 'node:path';
import { ConfigurationError, type Environment } from '../config/environment.ts';
import { findPreviousSecret, findSecret, loadSecret } from '../config/secret.ts';
import type { SqlQueries } from '../database/sql.ts';
import { ContentSeals } from '../gateway/reasoning/content-seals.ts';
import type { EvidenceSources } from '../services/master-keys/evidence.ts';
import { resolveWithLoss, type KeysWithLoss } from '../services/master-keys/discard/lost-key.ts';
import {
  MasterKeyError,
  masterKeyRows,
  recordFirstKey,
  resolveMasterKeys,
  retiredPeppers,
  type KnownMasterKeys,
  type MasterKeyRow,
  type Secrets,
} from '../services/master-keys/master-key-rows.ts';

export interface OpenedMasterKeys extends KnownMasterKeys {
  readonly rows: readonly MasterKeyRow[];
  readonly hasPrevious: boolean;
  /** Peppers of master keys that are not known any more, by version. */
  readonly retiredPeppers: ReadonlyMap<number, Buffer>;
}

type SecretEnvironment = Pick<Environment, 'SLUICE_SECRET' | 'SLUICE_SECRET_PREVIOUS' | 'SLUICE_DATA_DIR'>;

/** The secrets of this process. One is generated where there is none. @throws ConfigurationError if a file cannot be used */
export async function loadSecrets(environment: SecretEnvironment, warn: (text: string) => void): Promise<Secrets> {
  const options = optionsOf(environment, warn);
  return { current: await loadSecret(options), previous: await findPreviousSecret(options) };
}

/** The master keys of the database. Generates no secret. @returns null if there is none @throws ConfigurationError as `openMasterKeys` */
export async function findMasterKeys(
  database: SqlQueries,
  environment: SecretEnvironment,
  warn: (text: string) => void = () => undefined,
): Promise<OpenedMasterKeys | null> {
  const options = optionsOf(environment, warn);
  const current = await findSecret(options);
  if (current === null) return null;
  return openMasterKeys(database, { current, previous: await findPreviousSecret(options) });
}

function optionsOf(environment: SecretEnvironment, warn: (text: string) => void) {
  const { SLUICE_SECRET: given, SLUICE_SECRET_PREVIOUS: givenPrevious } = environment;
  return { given, givenPrevious, dataDir: resolve(environment.SLUICE_DATA_DIR), warn };
}

/** Which secret is which master key. @throws ConfigurationError if they are not those of the database */
async function openMasterKeys(database: SqlQueries, secrets: Secrets): Promise<OpenedMasterKeys> {
  return reporting(async () => {
    const rows = await masterKeyRows(database);
    const known = resolveMasterKeys(secrets, rows);
    const hasPrevious = known.keys.known.length > 1;
    return { ...known, rows, hasPrevious, retiredPeppers: retiredPeppers(known.keys, rows) };
  });
}

/** As `openMasterKeys`, where an earlier secret, or the current one, is lost. @throws ConfigurationError */
export async function openWithLoss(
  database: SqlQueries,
  secrets: Secrets,
): Promise<KeysWithLoss & Pick<OpenedMasterKeys, 'rows'>> {
  return reporting(async () => {
    const rows = await masterKeyRows(database);
    return { ...resolveWithLoss(secrets, rows), rows };
  });
}

/**
 * As `openMasterKeys`, for what encrypts: where the database does not know its key yet, it is stored which one it is.
 * @param blobs to test the key with contents; null where files are not read
 * @throws ConfigurationError as `openMasterKeys`, and if the secret is not the one that values were encrypted under
 */
export async function establishMasterKeys(
  database: SqlQueries,
  secrets: Secrets,
  blobs: EvidenceSources['blobs'],
): Promise<OpenedMasterKeys> {
  const opened = await openMasterKeys(database, secrets);
  if (opened.rows.length > 0) return opened;
  await reporting(async () => {
    try {
      await recordFirstKey(opened, { database, encrypted: new ContentSeals(opened.keys), blobs });
    } catch (error) {
      // Another process may have stored it meanwhile.
      if ((await masterKeyRows(database)).length === 0) throw error;
    }
  });
  return openMasterKeys(database, secrets);
}

async function reporting<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof MasterKeyError) throw new ConfigurationError([error.message]);
    throw error;
  }
}
