import { establishMasterKeys, loadSecrets, openWithLoss } from '../../composition/master-keys.ts';
import { wireStorage } from '../../composition/storage.ts';
import { ConfigurationError, type Environment } from '../../config/environment.ts';
import { insertAudit } from '../../database/audit/record.ts';
import type { Database } from '../../database/database.ts';
import { ContentSeals } from '../../gateway/reasoning/content-seals.ts';
import { MasterKeys } from '../../secrets/master-keys.ts';
import { CredentialVault } from '../../services/connections/credential-vault.ts';
import { discardValues, ruleOf, type DiscardedColumn } from '../../services/master-keys/discard/discard-values.ts';
import {
  LOST_API_KEYS,
  recordCompletion,
  replaceLostKey,
  type KeysWithLoss,
} from '../../services/master-keys/discard/lost-key.ts';
import { evidenceOf, type EvidenceSources } from '../../services/master-keys/evidence.ts';
import { findUnreadable, type UnreadableColumn } from '../../services/master-keys/discard/unreadable-values.ts';
import type { MasterKeyRow, Secrets } from '../../services/master-keys/master-key-rows.ts';
import { BadArguments } from '../errors/bad-arguments.ts';
import { confirm } from './confirm.ts';

export interface DiscardOptions {
  readonly isDryRun: boolean;
  /** Without a question. */
  readonly isConfirmed: boolean;
  /** Whether a secret that is not the master key of the database may become it without a question. */
  readonly mayReplace: boolean;
}

/** Discards what no given secret decrypts. @returns the exit code */
export async function discardUnreadable(
  database: Database,
  environment: Environment,
  dataDir: string,
  options: DiscardOptions,
): Promise<number> {
  const warn = (text: string): void => void process.stderr.write(`${text}\n`);
  const secrets = await loadSecrets(environment, warn);
  const opened = await openWithLoss(database, secrets);
  const { blobs, bucket } = wireStorage(database, dataDir, environment);
  try {
    const sources = { database, keys: opened.keys, encrypted: new ContentSeals(opened.keys), blobs };
    await requireLoss(secrets, opened, sources);
    const unreadable = await findUnreadable(sources);
    const isOther = await isOtherKey(opened, unreadable, sources);
    describe(unreadable, opened, isOther);
    if (unreadable.length === 0 && opened.replaces === null && isComplete(opened)) return 0;
    if (options.isDryRun) {
      process.stdout.write('Nothing was changed.\n');
      return 0;
    }
    if (!(await isAgreed(isOther, options))) {
      process.stderr.write('Nothing was changed.\n');
      return 1;
    }
    const discarded = await discard(database, unreadable, opened);
    await describeNext(database, discarded, opened, isOther);
    const remaining = sumOf(unreadable) - sum(discarded);
    if (remaining > 0)
      process.stderr.write(
        `${remaining} values were replaced meanwhile, and were not discarded. Stop all servers, and run the command again.\n`,
      );
    await establishMasterKeys(database, secrets, blobs);
    return remaining === 0 ? 0 : 1;
  } finally {
    await bucket?.close();
  }
}

type Opened = KeysWithLoss & { readonly rows: readonly MasterKeyRow[] };

/**
 * What was stored before a wrong secret was recorded as the first master key is readable with the right one, under the version of the
 * wrong one. @throws ConfigurationError
 */
async function requireLoss({ current }: Secrets, { replaces }: Opened, sources: EvidenceSources): Promise<void> {
  if (replaces !== 1 || (await evidenceOf(MasterKeys.of(current), sources)) !== 'confirms') return;
  throw new ConfigurationError([
    'SLUICE_SECRET decrypts what is stored in this database, but another secret was recorded as its master key. Remove that fingerprint, as docs/operations/secrets.md says under "A wrong secret is refused". Nothing was changed.',
  ]);
}

/** Whether the current key is not known to be the one of the database: before it is recorded, only what it decrypts shows that. */
async function isOtherKey(
  { keys, replaces, rows }: Opened,
  unreadable: readonly UnreadableColumn[],
  sources: EvidenceSources,
): Promise<boolean> {
  if (replaces !== null) return true;
  return rows.length === 0 && unreadable.length > 0 && (await evidenceOf(keys, sources)) !== 'confirms';
}

/** A rotation whose previous secret is lost cannot be completed otherwise. */
function isComplete({ keys, pending, rows: [active] }: Opened): boolean {
  const hasPrevious = keys.known.length > 1;
  return (
    active === undefined || active.version === 1 || pending !== null || hasPrevious || active.completed_ms !== null
  );
}

function describe(unreadable: readonly UnreadableColumn[], { keys, replaces }: Opened, isOther: boolean): void {
  for (const { column, values } of unreadable)
    process.stdout.write(`${String(values.length).padStart(9)}  ${column.name}\n`);
  process.stdout.write(`${sumOf(unreadable)} values are not readable with the given secrets.\n`);
  if (replaces !== null)
    process.stdout.write(
      `SLUICE_SECRET is not master key ${replaces} of this database. It would become master key ${keys.current.version}, and API keys of lost master keys would be invalid.\n`,
    );
  else if (isOther)
    process.stdout.write(
      'Nothing shows that SLUICE_SECRET is the master key of this database. It would become it, and API keys of a lost one would be invalid.\n',
    );
}

async function isAgreed(isOther: boolean, { isConfirmed, mayReplace }: DiscardOptions): Promise<boolean> {
  if (isConfirmed) {
    if (!isOther || mayReplace) return true;
    throw new BadArguments(
      'SLUICE_SECRET is not known to be the master key of this database. If that one is lost for good, add --new-master-key.',
    );
  }
  if (!process.stdin.isTTY) {
    process.stderr.write('Confirm with --yes. Discarded values cannot be restored.\n');
    return false;
  }
  return confirm('Discard these values? They cannot be restored.', 'discard', {
    input: process.stdin,
    output: process.stderr,
  });
}

function discard(
  database: Database,
  unreadable: readonly UnreadableColumn[],
  { keys, replaces }: Opened,
): Promise<DiscardedColumn[]> {
  const tools = { vault: new CredentialVault(keys), encrypted: new ContentSeals(keys) };
  return database.transaction(async (client) => {
    const discarded = await discardValues(client, unreadable, tools);
    if (replaces !== null) await replaceLostKey(client, keys);
    await recordCompletion(client, keys);
    await insertAudit(client, {
      accountId: null,
      action: replaces === null ? 'master_key.unreadable_values_discarded' : 'master_key.replaced',
      target: { type: 'master_key', id: null, label: `version ${keys.current.version}` },
      changes: discarded.map(({ name, discarded: before }) => ({ field: name, before, after: 0 })),
    });
    return discarded;
  });
}

async function describeNext(
  database: Database,
  discarded: readonly DiscardedColumn[],
  { keys, replaces }: Opened,
  isOther: boolean,
): Promise<void> {
  process.stdout.write(`${sum(discarded)} values were discarded. The audit log records them.\n`);
  if (replaces !== null) process.stdout.write(`Master key ${keys.current.version} is active.\n`);
  const next = discarded.flatMap(({ name, discarded: values }) => {
    const { next: text } = ruleOf({ name });
    return text === undefined || values === 0 ? [] : [`${name} (${values}): ${text}`];
  });
  // Keys of a lost first master key name the version of the present one.
  const versions = isOther && replaces === null ? [] : keys.known.map(({ version }) => version);
  const [row] = await database.query<{ keys: number }>(LOST_API_KEYS, [versions]);
  if (row !== undefined && row.keys > 0)
    next.push(
      `API keys (${row.keys}): Give them new secrets: they are invalid. \`sluice keys list\` lists them, \`sluice keys rotate <id>\` prints a new secret.`,
    );
  if (keys.known.length > 1) next.push('Run `sluice secrets rotate`.');
  next.push('Start the servers, and run `sluice doctor`.');
  process.stdout.write(`Next:\n${next.map((text) => `  ${text}\n`).join('')}`);
}

function sum(columns: readonly DiscardedColumn[]): number {
  return columns.reduce((all, { discarded }) => all + discarded, 0);
}

function sumOf(columns: readonly UnreadableColumn[]): number {
  return columns.reduce((all, { values }) => all + values.length, 0);
}
