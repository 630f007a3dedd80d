import { createInterface } from 'node:readline/promises';
import { establishMasterKeys, loadSecrets, openWithLoss } from '../../composition/master-keys.ts';
import { wireStorage } from '../../composition/storage.ts';
import type { Environment } from '../../config/environment.ts';
import { insertAudit } from '../../database/audit/record.ts';
import type { Database } from '../../database/database.ts';
import { ContentSeals } from '../../gateway/reasoning/content-seals.ts';
import { CredentialVault } from '../../services/connections/credential-vault.ts';
import { discardValues, ruleOf, type DiscardedColumn } from '../../services/master-keys/discard/discard-values.ts';
import {
  LOST_API_KEYS,
  recordCompletion,
  replaceLostKey,
  type KeysWithLoss,
} from '../../services/master-keys/discard/lost-key.ts';
import { evidenceOf } from '../../services/master-keys/evidence.ts';
import { findUnreadable, type UnreadableColumn } from '../../services/master-keys/discard/unreadable-values.ts';
import type { MasterKeyRow } from '../../services/master-keys/master-key-rows.ts';
import { BadArguments } from '../errors/bad-arguments.ts';

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
    const unreadable = await findUnreadable(sources);
    describe(unreadable, opened);
    if (unreadable.length === 0 && opened.replaces === null && isComplete(opened)) return 0;
    if (options.isDryRun) {
      process.stdout.write('Nothing was changed.\n');
      return 0;
    }
    // Before it is stored which one it is, only what it decrypts says whether it is the one of the database.
    const isOther =
      opened.replaces !== null || (opened.rows.length === 0 && (await evidenceOf(opened.keys, sources)) === 'refutes');
    if (!(await isAgreed(isOther, options))) {
      process.stderr.write('Nothing was changed.\n');
      return 1;
    }
    const discarded = await discard(database, unreadable, opened);
    await establishMasterKeys(database, secrets, blobs);
    await describeNext(database, discarded, opened);
    return sum(discarded) === sumOf(unreadable) ? 0 : 1;
  } finally {
    await bucket?.close();
  }
}

type Opened = KeysWithLoss & { readonly rows: readonly MasterKeyRow[] };

/** A rotation whose previous secret is lost cannot be completed otherwise. */
function isComplete({ keys, pending, rows: [active] }: Opened): boolean {
  const hasPrevious = keys.known.length > 1;
  return (
    active === undefined || active.version === 1 || pending !== null || hasPrevious || active.completed_ms !== null
  );
}

function describe(unreadable: readonly UnreadableColumn[], { keys, replaces }: Opened): void {
  for (const { column, values } of unreadable)
    process.stdout.write(`${String(values.length).padStart(9)}  ${column.name}\n`);
  process.stdout.write(`${sumOf(unreadable)} values are not readable with the given secrets.\n`);
  if (replaces !== null)
    process.stdout.write(
      `SLUICE_SECRET is not master key ${replaces} of this database. It would become master key ${keys.current.version}, and API keys of lost master keys would be invalid.\n`,
    );
}

async function isAgreed(isOther: boolean, { isConfirmed, mayReplace }: DiscardOptions): Promise<boolean> {
  if (isConfirmed) {
    if (!isOther || mayReplace) return true;
    throw new BadArguments(
      'SLUICE_SECRET is not the master key of this database. If that one is lost for good, add --new-master-key.',
    );
  }
  if (!process.stdin.isTTY) {
    process.stderr.write('Confirm with --yes. Discarded values cannot be restored.\n');
    return false;
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question('Discard these values? They cannot be restored. Type "discard" to confirm: ');
    return answer.trim() === 'discard';
  } finally {
    lines.close();
  }
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
): Promise<void> {
  process.stdout.write(`${sum(discarded)} values were discarded. The audit log records them.\n`);
  if (replaces !== null) process.stdout.write(`Master key ${keys.current.version} is active.\n`);
  const next = discarded.flatMap(({ name, discarded: values }) => {
    const { next: text } = ruleOf({ name });
    return text === undefined || values === 0 ? [] : [`${name} (${values}): ${text}`];
  });
  const versions = keys.known.map(({ version }) => version);
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
