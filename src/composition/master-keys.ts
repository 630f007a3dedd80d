import { resolve } from 'node:path';
import { ConfigurationError, type Environment } from '../config/environment.ts';
import { findPreviousSecret, findSecret, loadSecret } from '../config/secret.ts';
import type { SqlQueries } from '../database/sql.ts';
import {
  MasterKeyError,
  masterKeyRows,
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
export async function openMasterKeys(database: SqlQueries, secrets: Secrets): Promise<OpenedMasterKeys> {
  const rows = await masterKeyRows(database);
  try {
    const known = resolveMasterKeys(secrets, rows);
    const hasPrevious = known.keys.known.length > 1;
    return { ...known, rows, hasPrevious, retiredPeppers: retiredPeppers(known.keys, rows) };
  } catch (error) {
    if (error instanceof MasterKeyError) throw new ConfigurationError([error.message]);
    throw error;
  }
}
