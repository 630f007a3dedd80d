import { hash, randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import { MailToken, type MailTokenKind, type User } from '../../database/entities/index.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A link that sets a password is worth a password: it is short-lived. */
const lifetimesMs: Readonly<Record<MailTokenKind, number>> = { verify: 24 * HOUR_MS, reset: 30 * MINUTE_MS };
/** To one user in an hour: nobody's mailbox is flooded from here. */
const MAX_PER_HOUR = 5;

/** @returns the token, for the mail alone: its hash is stored; null where enough were sent of late */
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

/** What a token proves, with its user; null where it is none, has expired, or was used. Does not use it. */
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

/** Uses a token, and with it all others of its kind that its user has. @returns false where it was used meanwhile */
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
