import { hash, verify } from '@node-rs/argon2';
import { SluiceError } from '../../errors/index.ts';
import { isAboutOwner, type PasswordOwner } from './password-context.ts';

/** The package's numeric value: its enum does not exist at run time. */
const ARGON2ID = 2;
/** OWASP's password storage cheat sheet: argon2id with 19 MiB, two passes, one lane. */
const parameters = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const MIN_LENGTH = 8;
const MAX_LENGTH = 256;
/** UTF-16 units before normalization, which may combine several into one character. */
const MAX_RAW_LENGTH = 4 * MAX_LENGTH;
/** Hashing takes tens of milliseconds and 19 MiB: a flood of sign-ins must not use the entire machine. */
const MAX_CONCURRENT = 2;
const MAX_WAITING = 200;

/** The hash that is verified against if there is no account, so that both cases take the same time. */
let dummyHash: Promise<string> | null = null;

const waiting: (() => void)[] = [];
let running = 0;

export async function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(normalise(password), parameters));
}

/** @param stored null if there is no such account: the result is false, after the same work */
export async function verifyPassword(stored: string | null, password: string): Promise<boolean> {
  if (password.length > MAX_RAW_LENGTH || lengthOf(password) > MAX_LENGTH) return false;
  const against = stored ?? (await (dummyHash ??= hash('', parameters)));
  const matches = await inTurn(() => verify(against, normalise(password)));
  return matches && stored !== null;
}

/**
 * Requires a minimum length but no composition; rejects breached and common passwords, and those that relate to the owner.
 * Source: NIST SP 800-63B, 3.1.1.2.
 * @throws SluiceError weak_password
 */
export async function requireStrongPassword(password: string, owner: PasswordOwner): Promise<void> {
  if (password.length > MAX_RAW_LENGTH || lengthOf(password) > MAX_LENGTH)
    throw weak(`it may have at most ${MAX_LENGTH} characters.`);
  if (lengthOf(password) < MIN_LENGTH) throw weak(`it needs at least ${MIN_LENGTH} characters.`);
  const plain = normalise(password);
  // Loaded on demand: the list is megabytes, and passwords are rarely chosen.
  const { isBreached } = await import('./breached-passwords.ts');
  if (isBreached(plain)) throw weak('it is one of those that are tried first.');
  if (isAboutOwner(plain, owner))
    throw weak('it is made of your e-mail address, your name or the name of this service.');
}

/** In user-perceived characters. */
function lengthOf(password: string): number {
  return [...normalise(password)].length;
}

function normalise(password: string): string {
  return password.normalize('NFKC');
}

function weak(reason: string): SluiceError {
  return new SluiceError('weak_password', { values: { reason } });
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= MAX_CONCURRENT) {
    if (waiting.length >= MAX_WAITING)
      throw new SluiceError('too_many_attempts', { retryAfterMs: 5_000, values: { seconds: 5 } });
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
  running++;
  try {
    return await work();
  } finally {
    running--;
    waiting.shift()?.();
  }
}
