import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generateSecret, maskSecret, verifyChecksum } from '../../../../src/services/keys/secrets/key-format.ts';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('generateSecret', () => {
  it('generates the prefix, 32 base62 characters and 6 of their CRC32', () => {
    for (let round = 0; round < 200; round++) {
      const secret = generateSecret();
      expect(secret).toMatch(/^sk-sluice-[0-9A-Za-z]{38}$/);
      const checksum = Array.from(secret.slice(42)).reduce((value, digit) => value * 62 + base62.indexOf(digit), 0);
      expect(checksum).toBe(crc32(Buffer.from(secret.slice(0, 42), 'ascii')));
    }
  });

  it('uses every character equally often', () => {
    const counts = new Map<string, number>();
    const secrets = 6_000;
    for (let round = 0; round < secrets; round++)
      for (const character of generateSecret().slice(10, 42)) counts.set(character, (counts.get(character) ?? 0) + 1);
    const expected = (secrets * 32) / 62;
    const chiSquare = [...base62].reduce((sum, c) => sum + ((counts.get(c) ?? 0) - expected) ** 2 / expected, 0);
    // 61 degrees of freedom: a uniform source passes 130 once in a million runs; one biased by `% 62` reaches about 1,900.
    expect(chiSquare).toBeLessThan(130);
  });

  it('never repeats a secret', () => {
    expect(new Set(Array.from({ length: 1_000 }, generateSecret)).size).toBe(1_000);
  });
});

describe('verifyChecksum', () => {
  it('accepts generated secrets', () => {
    for (let round = 0; round < 500; round++) expect(verifyChecksum(generateSecret())).toBe(true);
  });

  it('rejects a secret with any one character replaced', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 47 }), fc.constantFrom(...base62), (at, character) => {
        const secret = generateSecret();
        fc.pre(secret[at] !== character);
        expect(verifyChecksum(secret.slice(0, at) + character + secret.slice(at + 1))).toBe(false);
      }),
    );
  });

  it('rejects any other text and never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(verifyChecksum(text)).toBe(false);
        expect(verifyChecksum(`sk-sluice-${text}`)).toBe(false);
      }),
    );
    const secret = generateSecret();
    for (const text of ['', secret.slice(0, -1), `${secret}0`, ` ${secret}`, secret.toLowerCase(), `${secret}\n`])
      expect(verifyChecksum(text)).toBe(false);
  });

  it('rejects lone surrogates, digits of other scripts and quotes of the right length', () => {
    for (const character of ['\uD800', '٣', 'Ａ', "'", '\0', 'é'])
      expect(verifyChecksum(`sk-sluice-${character.repeat(38)}`)).toBe(false);
  });

  it('reads no more of a text of 500 MB than of a short one', () => {
    // Reading it each time would exceed the time limit of the test.
    const long = 'é'.repeat(500 * 1024 * 1024);
    for (let round = 0; round < 10_000; round++) expect(verifyChecksum(long)).toBe(false);
  });
});

describe('maskSecret', () => {
  it('shows two random characters and the last four', () => {
    const secret = generateSecret();
    expect(maskSecret(secret)).toBe(`${secret.slice(0, 12)}…${secret.slice(-4)}`);
  });

  it('shows at most 8 characters of a foreign text, and none of a short one', () => {
    expect(maskSecret('hunter2')).toBe('too short for a key');
    expect(maskSecret('sk-proj-abcdefghijklmnop')).toBe('sk-p…mnop');
    expect(maskSecret('x'.repeat(1024 * 1024))).toBe('xxxx…xxxx');
    expect(maskSecret(`sk-sluice-${'a'.repeat(20)}`)).toBe('sk-s…aaaa');
  });

  it('returns printable text of at most 17 characters for any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => {
        expect(maskSecret(text)).toMatch(/^([\x21-\x7e]{0,12}…[\x21-\x7e]{0,4}|too short for a key)$/);
      }),
    );
  });
});
