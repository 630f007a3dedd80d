import { systemClock } from '../../calendar/clock.ts';
import { findMasterKeys, type OpenedMasterKeys } from '../../composition/master-keys.ts';
import { ConfigurationError, type Environment } from '../../config/environment.ts';
import type { SqlQueries } from '../../database/sql.ts';
import { CredentialVault } from '../../services/connections/credential-vault.ts';
import { IF_LOST } from '../../services/master-keys/master-key-rows.ts';
import { rotationOf } from '../secrets/open-rotation.ts';
import { fault, found, type Finding } from './finding.ts';

const SUBJECT = 'Master key';
/** What outlives its rotation without being stored: access tokens and links to media (1 h), idempotent responses (24 h). */
const OVERLAP_MS = 86_400_000;

interface SealedRow {
  readonly id: string;
  readonly account_id: string;
  readonly sealed: Buffer;
}

/** Whether the master key decrypts what is in the database, and whether the previous one is still needed. */
export async function checkMasterKey(database: SqlQueries, environment: Environment): Promise<readonly Finding[]> {
  let opened: OpenedMasterKeys | null;
  try {
    opened = await findMasterKeys(database, environment);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map((text) => fault(SUBJECT, 'failed', text, 'See docs/operations/secrets.md.'));
  }
  if (opened === null) return [];
  return [...(await checkCredentials(database, opened)), ...(await checkRotation(database, opened))];
}

/** A restored database may have another master key. */
async function checkCredentials({ query }: SqlQueries, { keys }: OpenedMasterKeys): Promise<readonly Finding[]> {
  const [row] = await query<SealedRow>(
    'select id, account_id, sealed_credentials as sealed from provider_connections where sealed_credentials is not null limit 1',
  );
  if (row === undefined) return [];
  try {
    new CredentialVault(keys).open(row.sealed, { accountId: row.account_id, rowId: row.id });
    return [found(SUBJECT, 'ok', 'it decrypts the credentials in the database')];
  } catch {
    return [
      fault(
        SUBJECT,
        'failed',
        'it does not decrypt the credentials in the database',
        `Set SLUICE_SECRET, or the file \`secret\` of the data folder, to the key that the database was used with. ${IF_LOST}`,
      ),
    ];
  }
}

async function checkRotation(database: SqlQueries, opened: OpenedMasterKeys): Promise<readonly Finding[]> {
  const { keys, pending, rows, hasPrevious } = opened;
  const [active] = rows;
  if (pending !== null)
    return [
      fault(
        SUBJECT,
        'warning',
        'SLUICE_SECRET is not active yet: SLUICE_SECRET_PREVIOUS still encrypts',
        'Restart all servers with both, then run `sluice secrets rotate`.',
      ),
    ];
  if (active === undefined) return [];
  const { version } = keys.current;
  if (version === 1) return [found(SUBJECT, 'ok', 'it is the one of this database, and was never rotated')];
  const isComplete = active.completed_ms !== null;
  // Some rows of each table: a rotation has read all, and a server with old secrets stores new ones.
  const remaining = (await rotationOf(database, opened).remainingInSample())
    .map(({ name, kind, values, undecryptable }) => {
      // What no key decrypts does not need the previous one. After a rotation, only clients store such `encrypted_content`.
      const isOfEarlier = !hasPrevious && !(isComplete && kind === 'encrypted_content');
      return { name, values: isOfEarlier ? values + undecryptable : values };
    })
    .filter(({ values }) => values > 0);
  if (remaining.length > 0) {
    const text = remaining.map(({ name, values }) => `${values} ${name}`).join(', ');
    return hasPrevious
      ? [fault(SUBJECT, 'warning', `SLUICE_SECRET_PREVIOUS is needed by ${text}`, 'Run `sluice secrets rotate`.')]
      : [
          fault(
            SUBJECT,
            'failed',
            `an earlier master key is needed by ${text}`,
            `Set SLUICE_SECRET_PREVIOUS to it, and run \`sluice secrets rotate\`. ${IF_LOST}`,
          ),
        ];
  }
  if (!isComplete)
    return [
      fault(
        SUBJECT,
        'warning',
        `the rotation to version ${version} is not complete`,
        hasPrevious
          ? 'Run `sluice secrets rotate`.'
          : `Set SLUICE_SECRET_PREVIOUS to the key before it, and run \`sluice secrets rotate\`. ${IF_LOST}`,
      ),
    ];
  const state = `version ${version}, to which the rotation is complete`;
  if (!hasPrevious) return [found(SUBJECT, 'ok', `${state}; nothing needs an earlier one`)];
  const until = active.activated_ms + OVERLAP_MS;
  if (systemClock.now() < until)
    return [
      found(
        SUBJECT,
        'ok',
        `${state}; keep SLUICE_SECRET_PREVIOUS until ${new Date(until).toISOString()}, for access tokens, links to media and idempotent responses`,
      ),
    ];
  return [
    fault(
      SUBJECT,
      'warning',
      `${state}; nothing stored needs SLUICE_SECRET_PREVIOUS`,
      'Unset it, and restart all servers.',
    ),
  ];
}
