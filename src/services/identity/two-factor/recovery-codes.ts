import { hash, randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { RecoveryCode, User } from '../../../database/entities/index.ts';

const CODE_COUNT = 10;
/** Crockford's alphabet: no letters that look like digits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const GROUPS = 3;
const GROUP = 5;

/** Replaces a user's codes. @returns the new ones of 75 random bits each, stored only as hashes */
export async function renewRecoveryCodes(em: EntityManager, userId: string): Promise<string[]> {
  const codes = Array.from({ length: CODE_COUNT }, newCode);
  await em.nativeDelete(RecoveryCode, { user: userId });
  await em.insertMany(
    RecoveryCode,
    codes.map((code) => {
      const { id } = new RecoveryCode();
      return { id, user: em.getReference(User, userId), codeHash: hashOf(code), createdAt: new Date(), usedAt: null };
    }),
  );
  return codes;
}

/** @returns whether it was an unused code of the user */
export async function useRecoveryCode(em: EntityManager, userId: string, given: string): Promise<boolean> {
  const used = await em.nativeUpdate(
    RecoveryCode,
    { user: userId, codeHash: hashOf(given), usedAt: null },
    { usedAt: new Date() },
  );
  return used > 0;
}

function newCode(): string {
  const letters = [...randomBytes(GROUPS * GROUP)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return Array.from({ length: GROUPS }, (_, at) => letters.slice(at * GROUP, (at + 1) * GROUP)).join('-');
}

/** Ignores dashes, spaces and case, and maps look-alike characters. */
function hashOf(code: string): Buffer {
  const plain = code.slice(0, 100).toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  return hash('sha256', plain, 'buffer');
}
