import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import { findSecret } from '../../config/secret.ts';
import type { Environment } from '../../config/environment.ts';
import { describeError } from '../errors/describe-error.ts';
import { fault, found, type Finding } from './finding.ts';

const SUBJECT = 'Data folder';
const MIN_FREE_BYTES = 1024 ** 3;
const MEGABYTE = 1024 ** 2;
const NOT_OWNER = 0o077;

/** The folder of the journal, and the master key. */
export async function checkDataFolder(environment: Environment): Promise<readonly Finding[]> {
  const path = resolve(environment.SLUICE_DATA_DIR);
  let mode: number;
  try {
    ({ mode } = await stat(path));
  } catch {
    return [found(SUBJECT, 'unused', `${path} does not exist yet; the first start creates it`)];
  }
  try {
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    const advice = 'Change its owner to the user that runs Sluice, or set SLUICE_DATA_DIR to a folder of that user.';
    return [fault(SUBJECT, 'failed', `this user cannot read and write ${path}`, advice)];
  }
  return [await freeSpace(path), ...modeOf(path, mode), await masterKey(environment, path)];
}

async function freeSpace(path: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(path);
  const megabytes = Math.floor((bavail * bsize) / MEGABYTE);
  if (bavail * bsize >= MIN_FREE_BYTES) return found(SUBJECT, 'ok', `${path}, ${megabytes} MB free`);
  const advice =
    'Free space, or move the folder to a larger disk: without space for the journal, requests are refused.';
  return fault(SUBJECT, 'warning', `${path} has only ${megabytes} MB free`, advice);
}

function modeOf(path: string, mode: number): readonly Finding[] {
  // Windows has no such modes.
  if (process.platform === 'win32' || (mode & NOT_OWNER) === 0) return [];
  const text = `other users of this machine may enter ${path}`;
  return [fault(SUBJECT, 'warning', text, `Run: chmod 700 ${path}. The next start does so, too.`)];
}

async function masterKey(environment: Environment, dataDir: string): Promise<Finding> {
  const warnings: string[] = [];
  const options = { given: environment.SLUICE_SECRET, dataDir, warn: (text: string) => warnings.push(text) };
  try {
    const key = await findSecret(options);
    const [warning] = warnings;
    if (warning !== undefined) return fault('Master key', 'warning', warning, 'See docs/operations/backup.md.');
    if (key === null) return found('Master key', 'unused', 'none yet; the first start generates it');
    const source = environment.SLUICE_SECRET === undefined ? `${dataDir}/secret` : 'SLUICE_SECRET';
    return found('Master key', 'ok', `from ${source}; keep a copy of it apart from the database's backup`);
  } catch (error) {
    return fault('Master key', 'failed', describeError(error), 'Restore it from a backup.');
  }
}
