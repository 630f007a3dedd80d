import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import type { ContentSeal } from '../../protocols/responses/encrypted-content/content-seal.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts under keys of accounts, which derive from the master key (HKDF, RFC 5869). Format, in base64url: nonce (12 bytes),
 * ciphertext, tag (16), as AES-256-GCM of NIST SP 800-38D; the kind is authenticated. The nonce is an HMAC of kind and content,
 * so that the same content has the same text and no nonce is used for two contents.
 */
export class ContentSeals {
  readonly #masterKey: string;

  constructor(masterKey: string) {
    this.#masterKey = masterKey;
  }

  of(accountId: string): ContentSeal {
    const keys = (): Keys => this.#keysOf(accountId);
    return {
      seal: (kind, content) => seal(keys(), kind, content),
      open: (kind, sealed) => open(keys(), kind, sealed),
    };
  }

  #keysOf(accountId: string): Keys {
    const derived = hkdfSync('sha256', this.#masterKey, accountId, 'sluice/encrypted-content/1', 2 * KEY_BYTES);
    const bytes = Buffer.from(derived);
    return { encryption: bytes.subarray(0, KEY_BYTES), nonce: bytes.subarray(KEY_BYTES) };
  }
}

interface Keys {
  readonly encryption: Buffer;
  readonly nonce: Buffer;
}

function seal(keys: Keys, kind: string, content: string): string {
  const nonce = createHmac('sha256', keys.nonce).update(`${kind}\n`).update(content).digest().subarray(0, NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, keys.encryption, nonce).setAAD(Buffer.from(kind));
  return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

function open(keys: Keys, kind: string, sealed: string): string | null {
  const box = Buffer.from(sealed, 'base64url');
  if (box.length < NONCE_BYTES + TAG_BYTES) return null;
  const nonce = box.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, keys.encryption, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(kind))
    .setAuthTag(box.subarray(-TAG_BYTES));
  try {
    const content = decipher.update(box.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([content, decipher.final()]).toString();
  } catch {
    // Node throws where the tag does not fit.
    return null;
  }
}
