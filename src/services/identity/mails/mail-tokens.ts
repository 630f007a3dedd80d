import { hash, randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { systemClock, type Clock } from '../../../calendar/clock.ts';
import { MailToken, type MailTokenKind, type User } from '../../../database/entities/index.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A password reset link is as powerful as a password, so it is short-lived. */
const lifetimesMs: Readonly<Record<MailTokenKind, number>> = { verify: 24 * HOUR_MS, reset: 30 * MINUTE_MS };
/** Per user and hour, so that no mailbox can be flooded. */
const MAX_PER_HOUR = 5;

/** @returns the token, for the mail only: its hash is stored; null if the hourly limit is reached */
export async function issueMailToken(
  em: EntityManager,
  user: User,
  kind: MailTokenKind,
  email: string,
  clock: Clock = systemClock,
): Promise<string | null> {
  const now = clock.now();
  const recent = await em.count(MailToken, { user, kind, createdAt: { $gt: new Date(now - HOUR_MS) } });
  if (recent >= MAX_PER_HOUR) return null;
  const token = randomBytes(32).toString('base64url');
  const expiresAt = new Date(now + lifetimesMs[kind]);
  em.persist(
    em.create(MailToken, { user, kind, email, tokenHash: hashOf(token), createdAt: new Date(now), expiresAt }),
  );
  await em.flush();
  return token;
}

/** The token row with its user; null if it does not exist, has expired or was used. Does not use it. */
export function findMailToken(
  em: EntityManager,
  kind: MailTokenKind,
  token: string,
  clock: Clock = systemClock,
): Promise<MailToken | null> {
  return em.findOne(
    MailToken,
    { tokenHash: hashOf(token.slice(0, 200)), kind, usedAt: null, expiresAt: { $gt: new Date(clock.now()) } },
    { populate: ['user'] },
  );
}

/** Uses a token and invalidates all others of its kind of this user. @returns false if it was used concurrently */
export async function useMailToken(em: EntityManager, { id, kind, user }: MailToken): Promise<boolean> {
  const usedAt = new Date();
  const used = await em.nativeUpdate(MailToken, { id, usedAt: null }, { usedAt });
  if (used === 0) return false;
  await em.nativeUpdate(MailToken, { user, kind, usedAt: null }, { usedAt });
  return true;
}

function hashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
