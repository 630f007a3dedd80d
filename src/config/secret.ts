import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfigurationError } from './environment.ts';

const MIN_LENGTH = 32;
const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/** The generated secret, and the one before it during a rotation. */
const CURRENT = 'secret';
const PREVIOUS = 'secret.previous';

export interface SecretOptions {
  /** SLUICE_SECRET. If absent, the secret of the data folder is used, which is generated at the first start. */
  readonly given: string | undefined;
  readonly dataDir: string;
  /** Called after a repair. */
  readonly warn: (text: string) => void;
}

/**
 * The master key. In a data folder it is the file `secret`, readable only by its owner. Processes that start concurrently on a new
 * folder get the same key.
 * @throws ConfigurationError if the file cannot be used
 */
export async function loadSecret({ given, dataDir, warn }: SecretOptions): Promise<string> {
  if (given !== undefined) return given;
  const path = join(dataDir, CURRENT);
  return orFault(path, async () => {
    await createIfAbsent(path);
    return readSecret(path, warn);
  });
}

export interface PreviousSecretOptions extends SecretOptions {
  /** SLUICE_SECRET_PREVIOUS. If both are absent, the file `secret.previous` of the data folder is used, if there is one. */
  readonly givenPrevious: string | undefined;
}

/** The master key before the current one. @returns null if there is none @throws ConfigurationError if the file cannot be used */
export async function findPreviousSecret(options: PreviousSecretOptions): Promise<string | null> {
  const { given, givenPrevious, dataDir, warn } = options;
  if (givenPrevious !== undefined) return givenPrevious;
  return given === undefined ? findFile(join(dataDir, PREVIOUS), warn) : null;
}

/** As `loadSecret`, but creates none. @returns null if there is none @throws ConfigurationError if the file cannot be used */
export async function findSecret({ given, dataDir, warn }: SecretOptions): Promise<string | null> {
  return given ?? findFile(join(dataDir, CURRENT), warn);
}

function findFile(path: string, warn: (text: string) => void): Promise<string | null> {
  return orFault(path, async () => ((await exists(path)) ? readSecret(path, warn) : null));
}

async function readSecret(path: string, warn: (text: string) => void): Promise<string> {
  await restrictToOwner(path, warn);
  return accepted(path, (await readFile(path, 'utf8')).trim());
}

async function orFault<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    throw fault(`${path} cannot be used: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Creates the file atomically: a temporary file is written, flushed, and linked. */
async function createIfAbsent(path: string): Promise<void> {
  if (await exists(path)) return;
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: OWNER_ONLY, flag: 'wx', flush: true });
    await link(draft, path).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  await flushFolder(folder);
}

/** Windows has no such modes. A mounted folder may reset them at each start, so a repair is tried first. */
async function restrictToOwner(path: string, warn: (text: string) => void): Promise<void> {
  if (process.platform === 'win32') return;
  const before = await modeOf(path);
  if ((before & OTHERS) === 0) return;
  const seen = `could be read by other users of this machine (mode ${before.toString(8).padStart(4, '0')})`;
  await chmod(path, OWNER_ONLY).catch(() => undefined);
  if (((await modeOf(path)) & OTHERS) !== 0) throw fault(`${path} ${seen}; run: chmod 600 ${path}`);
  warn(`${path} ${seen}; it is now readable only by its owner. If they are not trusted, replace it and all API keys.`);
}

function accepted(path: string, secret: string): string {
  if (secret.length >= MIN_LENGTH) return secret;
  throw fault(
    `${path} has fewer than ${MIN_LENGTH} characters. Restore it from a backup: API keys cannot be verified without it`,
  );
}

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** Makes the new directory entry durable, where the system supports it. */
async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function fault(text: string): ConfigurationError {
  return new ConfigurationError([text]);
}
