import { hasWord, isOfToken, lowerAt, pairOf, PAIRS, setPairs, WORD } from './byte-kinds.ts';

/** Words before `key` that make it a secret. */
const keyOwners = ['api', 'access', 'account', 'private', 'secret', 'auth', 'encryption', 'signing'] as const;
const passwords = ['word', 'wd', 'phrase', 'code'] as const;
/** The detector of secrets allows no longer rest of a word. */
const MAX_SUFFIX = 16;
/** Quotes, white space and what is left of their escapes, between a name and its value. */
const MAX_GAP = 24;

/** The last two letters of each name below. */
const endsPhoneName = new Uint8Array(PAIRS);
for (const [first, second] of 'ne le ax pp dn el er'.split(' '))
  endsPhoneName[pairOf(first?.charCodeAt(0), second?.charCodeAt(0))] = 1;

/** Whether a `:` stands after the name of a member that may hold a telephone number. */
export function followsPhoneName(bytes: Uint8Array, colon: number): boolean {
  // Most are `"name":`.
  if (bytes[colon - 1] === 0x22 && isOfToken(bytes[colon - 2]) && bytes[colon - 3] !== 0x5c) {
    if (endsPhoneName[pairOf(lowerAt(bytes, colon - 3), lowerAt(bytes, colon - 2))] === 0) return false;
  }
  let end = colon;
  while (end > 0 && (isGap(bytes[end - 1] ?? 0) || isEscapeLetter(bytes, end - 1))) end -= 1;
  if (lowerAt(bytes, end - 1) === 0x72 && hasWord(bytes, end - 6, 'number')) {
    end -= 6;
    if (bytes[end - 1] === 0x5f || bytes[end - 1] === 0x2d) end -= 1;
  }
  // By its last letter.
  switch (lowerAt(bytes, end - 1)) {
    case 0x65:
      return hasWord(bytes, end - 5, 'phone') || hasWord(bytes, end - 6, 'mobile');
    case 0x78:
      return hasWord(bytes, end - 3, 'fax');
    case 0x70:
      return hasWord(bytes, end - 8, 'whatsapp');
    case 0x6e:
      return hasWord(bytes, end - 6, 'msisdn');
    case 0x6c:
      return hasWord(bytes, end - 3, 'tel');
    default:
      return false;
  }
}

/** Two characters of each word below that are rare, by which it is found. A JSON Web Token starts with `eyJ` in this case. */
for (const pair of 'cr sc ok ke .s sw pw bh sp iz be -b'.split(' '))
  for (const first of [pair.charAt(0), pair.charAt(0).toUpperCase()])
    for (const second of [pair.charAt(1), pair.charAt(1).toUpperCase()]) setPairs(first + second, WORD);
setPairs('yJ', WORD);

/**
 * Whether two characters are part of a word that a secret is assigned to, as the detector of secrets knows them, or of a JSON
 * Web Token.
 * @param at the second one
 */
export function mayNameSecret(bytes: Uint8Array, at: number): boolean {
  switch (lowerAt(bytes, at)) {
    // secret, credential
    case 0x72:
      if (hasWord(bytes, at - 3, 'secret')) return isAssigned(bytes, at + 3);
      return hasWord(bytes, at - 1, 'credential') && isAssigned(bytes, at + 9);
    // passcode, password, passwd, passphrase, pwd
    case 0x63:
    case 0x70:
      return isPassword(bytes, at);
    case 0x77:
      if (hasWord(bytes, at - 1, 'pwd')) return isAssigned(bytes, at + 2);
      return isPassword(bytes, at);
    case 0x6b:
      return hasWord(bytes, at - 2, 'token') && isAssigned(bytes, at + 3);
    // key, bearer
    case 0x65:
      if (hasWord(bytes, at - 1, 'key')) return isKeyOfSecret(bytes, at - 1) && isAssigned(bytes, at + 2);
      return hasWord(bytes, at - 1, 'bearer');
    case 0x73:
      return hasWord(bytes, at - 6, 'hooks.slack');
    case 0x68:
      return hasWord(bytes, at - 3, 'webhooks/');
    case 0x7a:
      return hasWord(bytes, at - 7, 'authoriz');
    case 0x62:
      return hasWord(bytes, at, 'begin');
    // eyJ
    default:
      return hasWord(bytes, at - 2, 'ey');
  }
}

function isPassword(bytes: Uint8Array, at: number): boolean {
  if (!hasWord(bytes, at - 4, 'pass')) return false;
  return passwords.some((rest) => hasWord(bytes, at, rest) && isAssigned(bytes, at + rest.length));
}

function isKeyOfSecret(bytes: Uint8Array, at: number): boolean {
  const before = bytes[at - 1];
  const end = before === 0x2d || before === 0x5f || before === 0x20 ? at - 1 : at;
  return keyOwners.some((owner) => hasWord(bytes, end - owner.length, owner));
}

/**
 * Whether a `:` or `=` may follow a name that ends here or goes on. A JSON string that ends after more than the word, such as
 * `"max_tokens"`, is neither the name of a secret nor an assignment.
 */
function isAssigned(bytes: Uint8Array, end: number): boolean {
  let at = end;
  while (isOfToken(bytes[at])) {
    // A text of such words would be read once for each of them.
    if (at - end >= MAX_SUFFIX) return true;
    at += 1;
  }
  if (at > end && bytes[at] === 0x22) return false;
  const limit = at + MAX_GAP;
  for (; at < limit; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x3a || byte === 0x3d) return true;
    if (!isGap(byte) && !isEscapeLetter(bytes, at)) return false;
  }
  return true;
}

function isGap(byte: number): boolean {
  return byte <= 0x20 || byte === 0x22 || byte === 0x27 || byte === 0x60 || byte === 0x5c || byte >= 0x80;
}

/** The `n` of `\n`. */
function isEscapeLetter(bytes: Uint8Array, at: number): boolean {
  return bytes[at - 1] === 0x5c;
}
