import { hash, verify } from '@node-rs/argon2';
import { SluiceError } from '../../errors/index.ts';
import { isAboutOwner } from './password-context.ts';

/** The package's own number for it: its enum does not exist at run time. */
const ARGON2ID = 2;
/** OWASP's password storage cheat sheet: argon2id with 19 MiB, two passes, one lane. */
const parameters = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const MIN_LENGTH = 8;
const MAX_LENGTH = 256;
/** UTF-16 units before normalisation, which may take several for one character. */
const MAX_RAW_LENGTH = 4 * MAX_LENGTH;
/** Hashing takes tens of milliseconds and 19 MiB: a flood of sign-ins must not take the whole machine. */
const MAX_CONCURRENT = 2;
const MAX_WAITING = 200;

/** Of a password that nobody has. Verified against where there is no account, so that both take the same time. */
let dummyHash: Promise<string> | null = null;

const waiting: (() => void)[] = [];
let running = 0;

export async function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(normalise(password), parameters));
}

/** @param stored null where there is no such account: the answer is no, after the same work */
export async function verifyPassword(stored: string | null, password: string): Promise<boolean> {
  if (password.length > MAX_RAW_LENGTH || lengthOf(password) > MAX_LENGTH) return false;
  const against = stored ?? (await (dummyHash ??= hash('', parameters)));
  const matches = await inTurn(() => verify(against, normalise(password)));
  return matches && stored !== null;
}

/** Whose password it is: what others know of them is no secret. */
export interface PasswordOwner {
  readonly email: string;
  readonly name: string;
}

/**
 * Length counts, composition does not; what was breached, what everybody tries first and what is known of its owner is
 * refused. Source: NIST SP 800-63B, 3.1.1.2.
 * @throws SluiceError weak_password
 */
export async function requireStrongPassword(password: string, owner: PasswordOwner): Promise<void> {
  if (password.length > MAX_RAW_LENGTH || lengthOf(password) > MAX_LENGTH)
    throw weak(`it may have at most ${MAX_LENGTH} characters.`);
  if (lengthOf(password) < MIN_LENGTH) throw weak(`it needs at least ${MIN_LENGTH} characters.`);
  const plain = normalise(password);
  // Loaded when a password is chosen: the list is megabytes, and choosing one is rare.
  const { isBreached } = await import('./breached-passwords.ts');
  if (isBreached(plain)) throw weak('it is one of those that are tried first.');
  if (isAboutOwner(plain, owner))
    throw weak('it is made of your e-mail address, your name or the name of this service.');
}

/** In characters, as people count them. */
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
