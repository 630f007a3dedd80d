import { hash, verify } from '@node-rs/argon2';
import { SluiceError } from '../../errors/index.ts';
import { commonPasswords } from './common-passwords.ts';

/** The package's own number for it: its enum does not exist at run time. */
const ARGON2ID = 2;
/** OWASP's password storage cheat sheet: argon2id with 19 MiB, two passes, one lane. */
const parameters = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const SHORTEST = 8;
const LONGEST = 256;
/** Hashing takes tens of milliseconds and 19 MiB: a flood of sign-ins must not take the whole machine. */
const MOST_AT_ONCE = 2;
const MOST_WAITING = 200;

/** Of a password that nobody has. Verified against where there is no account, so that both take the same time. */
let nobodysHash: Promise<string> | null = null;

const waiting: (() => void)[] = [];
let running = 0;

export async function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(normalise(password), parameters));
}

/** @param stored null where there is no such account: the answer is no, after the same work */
export async function verifyPassword(stored: string | null, password: string): Promise<boolean> {
  if (password.length > LONGEST) return false;
  const against = stored ?? (await (nobodysHash ??= hash('', parameters)));
  const matches = await inTurn(() => verify(against, normalise(password)));
  return matches && stored !== null;
}

/**
 * Length counts, composition does not, and what everybody tries first is refused. Source: NIST SP 800-63B, 3.1.1.2.
 * @throws SluiceError weak_password
 */
export function requireGoodPassword(password: string, email: string): void {
  const length = [...normalise(password)].length;
  if (length < SHORTEST) throw weak(`it needs at least ${SHORTEST} characters.`);
  if (password.length > LONGEST) throw weak(`it may have at most ${LONGEST} characters.`);
  const plain = normalise(password).toLowerCase();
  if (commonPasswords.has(plain) || /^(.)\1*$/u.test(plain)) throw weak('it is one of those that are tried first.');
  if (plain === email || plain === email.split('@')[0]) throw weak('it is your e-mail address.');
}

function normalise(password: string): string {
  return password.normalize('NFKC');
}

function weak(reason: string): SluiceError {
  return new SluiceError('weak_password', { values: { reason } });
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= MOST_AT_ONCE) {
    if (waiting.length >= MOST_WAITING)
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
