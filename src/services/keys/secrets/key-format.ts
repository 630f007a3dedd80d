import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'sk-sluice-';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const CHECKED_LENGTH = PREFIX.length + RANDOM_LENGTH;
const SECRET_LENGTH = CHECKED_LENGTH + CHECKSUM_LENGTH;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The largest multiple of 62 in a byte: bytes from it on would favor the first characters. */
const UNBIASED_BYTES = 256 - (256 % ALPHABET.length);

/** A new secret: `sk-sluice-`, 32 random base62 characters (190 bits), 6 base62 characters of their CRC32. */
export function generateSecret(): string {
  const checked = PREFIX + randomBase62(RANDOM_LENGTH);
  return checked + checksumOf(checked);
}

/** Whether a text has the format of a secret and a valid checksum. Accepts any string, in constant time. */
export function verifyChecksum(secret: string): boolean {
  if (secret.length !== SECRET_LENGTH || !secret.startsWith(PREFIX)) return false;
  for (let at = PREFIX.length; at < CHECKED_LENGTH; at++) if (digitOf(secret.charCodeAt(at)) < 0) return false;
  let checksum = 0;
  for (let at = CHECKED_LENGTH; at < SECRET_LENGTH; at++) {
    const digit = digitOf(secret.charCodeAt(at));
    if (digit < 0) return false;
    checksum = checksum * ALPHABET.length + digit;
  }
  return checksum === crc32(secret.slice(0, CHECKED_LENGTH));
}

const TOO_SHORT = 'too short for a key';

/**
 * The visible part of a secret, or of any text sent in its place: the first and last characters, as few as distinguish keys.
 * Characters other than printable ASCII are shown as `?`; nothing is shown of a text that is too short to be a key.
 */
export function maskSecret(text: string): string {
  if (text.length < 16) return TOO_SHORT;
  const shown = text.startsWith(PREFIX) && text.length >= SECRET_LENGTH ? PREFIX.length + 2 : 4;
  return `${printable(text.slice(0, shown))}…${printable(text.slice(-4))}`;
}

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length)
    for (const byte of randomBytes(length)) {
      if (byte < UNBIASED_BYTES && text.length < length) text += ALPHABET.charAt(byte % ALPHABET.length);
    }
  return text;
}

function checksumOf(checked: string): string {
  let rest = crc32(checked);
  let text = '';
  for (let digit = 0; digit < CHECKSUM_LENGTH; digit++) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}

/** The value of a base62 digit by its UTF-16 code; -1 if it is none. */
function digitOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  if (code >= 65 && code <= 90) return code - 55;
  if (code >= 97 && code <= 122) return code - 61;
  return -1;
}

function printable(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, '?');
}
