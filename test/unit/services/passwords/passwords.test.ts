import { describe, expect, it } from 'vitest';
import { isBreached } from '../../../../src/services/passwords/breached-passwords.ts';
import { hashPassword, requireStrongPassword, verifyPassword } from '../../../../src/services/passwords/passwords.ts';

const owner = { email: 'ada.lovelace@analytical.example', name: 'Ada Lovelace' };
const check = (password: string): Promise<void> => requireStrongPassword(password, owner);

describe('passwords', () => {
  it.each([
    'correct horse battery',
    'j8#kLm2pQ9',
    'purple-elephant-77',
    '83920174',
    'my dog eats 3 shoes',
    'пароль и ещё что-то',
    '密码很长很安全的一句话',
    Array.from({ length: 64 }, (_, at) => at % 7).join(' x '),
    'lovelace wrote the first program',
  ])('accept %s', async (password) => {
    await expect(check(password)).resolves.toBeUndefined();
  });

  it.each([
    'short',
    'password',
    'P@ssw0rd2024!',
    'gandalf2000',
    'Summer2024',
    'L3tMe1n!',
    'qwerty123456',
    '1q2w3e4r5t',
    'zxcvbnm123',
    'abcabcabc',
    'aaaaaaaaaaaa',
    '19900101',
    '01.01.1990',
    'drowssap1',
    'lovelove',
    '!!monkey!!',
    'ｐａｓｓｗｏｒｄ１',
    'ada.lovelace@analytical.example',
    'Ada.Lovelace1',
    'lovelace99',
    'AdaLovelace',
    'analytical1!',
    'sluice123',
    'y'.repeat(257),
    'a b'.repeat(100_000),
  ])('reject %.40s', async (password) => {
    await expect(check(password)).rejects.toThrow(/too weak/);
  });

  it('are measured in characters as people read them', async () => {
    await expect(check('🦊🐻🐼🐨🐯🦁🐮')).rejects.toThrow(/at least 8/);
    await check('🦊🐻🐼🐨🐯🦁🐮🐷');
    await check('🦊🐻🐼🐨🐯🦁🐮🐷'.repeat(32));
    await expect(check(`${'🦊🐻🐼🐨🐯🦁🐮🐷'.repeat(32)}!`)).rejects.toThrow(/at most 256/);
  });

  it('are equal for any keyboard composition', async () => {
    const hash = await hashPassword('Ångström über alles');
    expect(await verifyPassword(hash, 'A\u030angstro\u0308m u\u0308ber alles')).toBe(true);
    expect(await verifyPassword(hash, 'Angstrom uber alles')).toBe(false);
  });

  it('can be verified up to their maximum length', async () => {
    const longest = `${'🦊🐻'.repeat(127)}x9`;
    await check(longest);
    expect(await verifyPassword(await hashPassword(longest), longest)).toBe(true);
  });

  it.each(['a1'.repeat(128), 'qwerty'.repeat(42), '1'.repeat(256)])(
    'are looked up however they are made: %.20s',
    (password) => {
      expect(isBreached(password)).toBe(true);
    },
  );

  it.each(['westside1', 'nicholas99', 'Snowboard!', 'qazwsxedc1'])('known from leaks are refused: %s', (password) => {
    expect(isBreached(password)).toBe(true);
  });
});
