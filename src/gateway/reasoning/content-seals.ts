import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { ContentSeal } from '../../protocols/responses/encrypted-content/content-seal.ts';
import { deriveKey } from '../../secrets/derived-keys.ts';
import { MasterKeys, type MasterKey, type MasterKeySource } from '../../secrets/master-keys.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const UNNAMED_VERSION = 1;

/**
 * Encrypts under keys of accounts, which derive from the master key (HKDF, RFC 5869). Format, in base64url: nonce (12 bytes),
 * ciphertext, tag (16), as AES-256-GCM of NIST SP 800-38D; the kind is authenticated. The nonce is an HMAC of kind and content,
 * so that the same content has the same text and no nonce is used for two contents. Before it stands the version of the master
 * key and a dot; text without is of version 1.
 */
export class ContentSeals {
  readonly #keys: MasterKeys;

  constructor(masterKeys: MasterKeySource) {
    this.#keys = MasterKeys.of(masterKeys);
  }

  of(accountId: string): ContentSeal {
    return {
      seal: (kind, content) => {
        const { current } = this.#keys;
        return `${namesKey(current) ? `${current.version}.` : ''}${seal(keysOf(current, accountId), kind, content)}`;
      },
      open: (kind, sealed) => {
        const [version, text] = partsOf(sealed);
        const key = this.#keys.find(version);
        return key === null ? null : open(keysOf(key, accountId), kind, text);
      },
    };
  }
}

/** Not of the first, which earlier releases read, too. */
function namesKey({ version }: MasterKey): boolean {
  return version !== UNNAMED_VERSION;
}

function partsOf(sealed: string): readonly [version: number, text: string] {
  const dot = sealed.indexOf('.');
  return dot === -1 ? [UNNAMED_VERSION, sealed] : [Number(sealed.slice(0, dot)), sealed.slice(dot + 1)];
}

function keysOf({ masterKey }: MasterKey, accountId: string): Keys {
  const bytes = deriveKey(masterKey, accountId, 'sluice/encrypted-content/1', 2 * KEY_BYTES);
  return { encryption: bytes.subarray(0, KEY_BYTES), nonce: bytes.subarray(KEY_BYTES) };
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
