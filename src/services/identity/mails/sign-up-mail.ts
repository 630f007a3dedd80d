import { hash, randomBytes } from 'node:crypto';
import { systemClock, type Clock } from '../../../calendar/clock.ts';
import type { Database } from '../../../database/database.ts';
import { PendingSignUp } from '../../../database/entities/index.ts';

const HOUR_MS = 3_600_000;
/** Per address, for all clients together, so that no mailbox can be flooded. */
const MAX_MAILS_AN_HOUR = 3;

/** The message of a sign-up: a link for a new address, or a notice that it has a user; null if the limit is reached. */
export type SignUpMail = { readonly to: string; readonly token: string | null };

/** Chooses the message of a sign-up and stores the hash of its token. A repeated call creates a new token. */
export async function prepareSignUpMail(
  database: Database,
  signUpId: string,
  clock: Clock = systemClock,
): Promise<SignUpMail | null> {
  const em = database.em();
  const now = clock.now();
  const found = await em.findOne(PendingSignUp, { id: signUpId, expiresAt: { $gt: new Date(now) } });
  if (found === null) return null;
  const sent = { email: found.email, id: { $ne: signUpId }, sentAt: { $gt: new Date(now - HOUR_MS) } };
  if ((await em.count(PendingSignUp, sent)) >= MAX_MAILS_AN_HOUR) return null;
  const isKnown = await isUser(database, found.email);
  const token = isKnown ? null : randomBytes(32).toString('base64url');
  found.tokenHash = token === null ? null : hashOfSignUpToken(token);
  // No longer needed: this sign-up creates no user.
  if (isKnown) found.passwordHash = null;
  found.sentAt = new Date(now);
  await em.flush();
  return { to: found.email, token };
}

async function isUser(database: Database, email: string): Promise<boolean> {
  const rows = await database.query<{ id: string }>('select id from users where email = $1', [email]);
  return rows.length > 0;
}

/** Of the token of a mailed link, which is stored only so. */
export function hashOfSignUpToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
