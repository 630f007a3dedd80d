import { parseArgs } from 'node:util';
import {
  establishMasterKeys,
  findMasterKeys,
  loadSecrets,
  type OpenedMasterKeys,
} from '../../composition/master-keys.ts';
import { wireStorage } from '../../composition/storage.ts';
import type { Environment } from '../../config/environment.ts';
import type { Database } from '../../database/database.ts';
import { ContentSeals } from '../../gateway/reasoning/content-seals.ts';
import { evidenceOf } from '../../services/master-keys/evidence.ts';
import { activate, completeRotation } from '../../services/master-keys/master-key-rows.ts';
import type { ColumnCount, Rotation, RotationProgress } from '../../services/master-keys/rotation.ts';
import { BadArguments } from '../errors/bad-arguments.ts';
import { withDatabase } from '../with-database.ts';
import { discardUnreadable, type DiscardOptions } from './discard.ts';
import { RotationLines } from './rotation-lines.ts';
import { rotationOf } from './open-rotation.ts';

const usage = `Usage:
  sluice secrets rotate [--dry-run]
  sluice secrets discard [--dry-run] [--yes] [--new-master-key]

rotate replaces the master key while servers run:
  1. Set SLUICE_SECRET to a new secret and SLUICE_SECRET_PREVIOUS to the present one (or the files with _FILE), and restart all
     servers, one after another. They continue to encrypt with the present one.
  2. Run this command with the same variables. It activates the new secret for all servers, and encrypts what is stored again.
  3. A day later run \`sluice doctor\`. Where nothing needs SLUICE_SECRET_PREVIOUS any more, unset it and restart all servers.

It can be interrupted and run again: it continues where it ended.

discard accepts that a secret is lost for good, so that servers start again. Stop all servers first. It lists what neither
SLUICE_SECRET nor SLUICE_SECRET_PREVIOUS decrypts, and discards exactly that in one transaction once you confirm it. Discarded
values cannot be restored. It prints what to enter again.

  --dry-run          print what would be encrypted again, or discarded
  --yes              discard without a question
  --new-master-key   with --yes: if SLUICE_SECRET is not known to be the master key of the database, make it the new one; API
                     keys under the lost one become invalid

Exit codes of rotate: 0 nothing stored needs the previous secret; 1 something does, or it was interrupted; 2 the arguments are
wrong. Of discard: 0 all that is stored is readable; 1 something is not, or it was not confirmed; 2 the arguments are wrong.
With --dry-run 0 says only that all was read.

Examples:
  sluice secrets rotate --dry-run
  sluice secrets discard --yes
`;

/** @returns the exit code */
export async function secretsCommand(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
      'new-master-key': { type: 'boolean', default: false },
    },
  });
  if (values.help || positionals.length === 0) {
    process.stdout.write(usage);
    return values.help ? 0 : 2;
  }
  try {
    const { yes: isConfirmed, 'dry-run': isDryRun, 'new-master-key': mayReplace } = values;
    const action = positionals.join(' ');
    if (action === 'discard') return await discardSecrets({ isDryRun, isConfirmed, mayReplace });
    if (action !== 'rotate' || isConfirmed || mayReplace) throw new BadArguments(usage.trimEnd());
    return await rotateSecrets(isDryRun);
  } catch (error) {
    if (!(error instanceof BadArguments)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
}

function discardSecrets(options: DiscardOptions): Promise<number> {
  return withDatabase(async (database, environment, dataDir) => {
    await database.migrate();
    return discardUnreadable(database, environment, dataDir, options);
  });
}

function rotateSecrets(isDryRun: boolean): Promise<number> {
  return withDatabase(async (database, environment, dataDir) => {
    await database.migrate();
    const warn = (text: string): void => void process.stderr.write(`${text}\n`);
    const opened = await findMasterKeys(database, environment, warn);
    if (opened === null) throw new BadArguments('There is no master key yet: the first start generates it.');
    if (!opened.hasPrevious && opened.keys.current.version === 1)
      throw new BadArguments(
        'Set SLUICE_SECRET to a new secret and SLUICE_SECRET_PREVIOUS to the present one. See `sluice secrets --help`.',
      );
    if (isDryRun) return describe(database, opened);
    return rotate(database, environment, dataDir);
  });
}

async function describe(database: Database, opened: OpenedMasterKeys): Promise<number> {
  const remaining = await rotationOf(database, opened).remaining();
  if (opened.pending !== null) process.stdout.write(`SLUICE_SECRET would become master key ${opened.pending}.\n`);
  for (const { name, values } of remaining)
    if (values > 0) process.stdout.write(`${String(values).padStart(9)}  ${name}\n`);
  process.stdout.write(`${sum(remaining)} values would be encrypted again. Nothing was changed.\n`);
  return 0;
}

async function rotate(database: Database, environment: Environment, dataDir: string): Promise<number> {
  const { blobs, bucket } = wireStorage(database, dataDir, environment);
  try {
    const warn = (): void => undefined;
    const opened = await establishMasterKeys(database, await loadSecrets(environment, warn), blobs);
    const { keys, pending } = opened;
    if (pending !== null) {
      const sources = { database, encrypted: new ContentSeals(keys), blobs };
      if ((await evidenceOf(keys, sources)) === 'refutes') {
        process.stderr.write('SLUICE_SECRET_PREVIOUS does not decrypt what is stored. Nothing was changed.\n');
        return 1;
      }
      await activate(database, keys, pending);
      process.stdout.write(`Master key ${pending} is active.\n`);
    }
    return await resealAll(database, opened);
  } finally {
    await bucket?.close();
  }
}

async function resealAll(database: Database, opened: OpenedMasterKeys): Promise<number> {
  const lines = new RotationLines();
  const rotation = rotationOf(database, opened, (progress) => lines.show(progress));
  const end = await runUntilInterrupted(rotation);
  const remaining = await rotation.remaining();
  // Without the previous secret, what cannot be decrypted may need it. Clients can store `encrypted_content` that no key decrypts.
  const isKnown = opened.hasPrevious || remaining.every(({ kind }) => kind === 'encrypted_content');
  if (!end.isInterrupted && sum(remaining) === 0 && isKnown)
    await completeRotation(database, opened.pending ?? opened.keys.current.version);
  return report(end, remaining);
}

interface RotationEnd {
  readonly done: readonly RotationProgress[];
  readonly isInterrupted: boolean;
}

/** Ends after the batch that is being encrypted. */
async function runUntilInterrupted(rotation: Rotation): Promise<RotationEnd> {
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    return { done: await rotation.run(interruption.signal), isInterrupted: interruption.signal.aborted };
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

function report({ done, isInterrupted }: RotationEnd, remaining: readonly ColumnCount[]): number {
  for (const { name, resealed } of done) process.stdout.write(`${String(resealed).padStart(9)}  ${name}\n`);
  const total = done.reduce((all, { resealed }) => all + resealed, 0);
  process.stdout.write(`${total} values were encrypted again.\n`);
  for (const { name, failed } of done)
    if (failed > 0)
      process.stderr.write(`${failed} ${name} cannot be decrypted by any known key; they are unchanged.\n`);
  if (isInterrupted) process.stderr.write('Interrupted. Run the same command again to continue.\n');
  else if (sum(remaining) > 0)
    process.stderr.write(`${sum(remaining)} values are still under another key. Run the same command again.\n`);
  else process.stdout.write('Nothing stored needs the previous secret. `sluice doctor` says when it can be removed.\n');
  return isInterrupted || sum(remaining) > 0 ? 1 : 0;
}

function sum(counts: readonly ColumnCount[]): number {
  return counts.reduce((all, { values }) => all + values, 0);
}
