import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKey, DerivedKeys } from '../../secrets/derived-keys.ts';
import type { MasterKeySource } from '../../secrets/master-keys.ts';

const FORMAT = 1;
const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
/** NIST SP 800-38D: GCM is designed for nonces of 96 bits; 128 bits is the longest tag. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Format, version of the master key. */
const HEAD_BYTES = 1 + 2;
const BOX_OVERHEAD = NONCE_BYTES + TAG_BYTES;
const WRAPPED_KEY_BYTES = KEY_BYTES + BOX_OVERHEAD;

/** The owner of an encrypted value, which cannot be decrypted for another account or row. */
export interface SealedFor {
  readonly accountId: string;
  readonly rowId: string;
}

/** An encrypted value that was changed, moved, or encrypted under an unknown master key. Contains nothing of the value. */
export class UnsealError extends Error {
  constructor(reason: string) {
    super(`The credentials do not open: ${reason}.`);
    this.name = 'UnsealError';
  }
}

/**
 * Encrypts credentials for the database by AES-256-GCM. Each value has its own random key, which is encrypted by a key derived
 * from the master key (HKDF, RFC 5869). Both are bound to the account and the row.
 * Bytes: format (1), version of the master key (2), the encrypted key (nonce 12, key 32, tag 16), the encrypted value (nonce
 * 12, value, tag 16).
 */
export class CredentialVault {
  readonly #wrappingKeys: DerivedKeys;

  constructor(masterKeys: MasterKeySource) {
    this.#wrappingKeys = new DerivedKeys(masterKeys, ({ version, masterKey }) =>
      deriveKey(masterKey, '', `sluice/provider-credentials/${version}`, KEY_BYTES),
    );
  }

  seal(text: string, owner: SealedFor): Buffer {
    const { version, bytes } = this.#wrappingKeys.current;
    const head = headOf(version);
    const dataKey = randomBytes(KEY_BYTES);
    const wrapped = encrypt(bytes, dataKey, boundTo('key', head, owner));
    return Buffer.concat([head, wrapped, encrypt(dataKey, Buffer.from(text), boundTo('text', head, owner))]);
  }

  /** @throws UnsealError */
  open(sealed: Buffer, owner: SealedFor): string {
    if (sealed.length < HEAD_BYTES + WRAPPED_KEY_BYTES + BOX_OVERHEAD || sealed[0] !== FORMAT)
      throw new UnsealError('their format is unknown');
    const head = sealed.subarray(0, HEAD_BYTES);
    const text = HEAD_BYTES + WRAPPED_KEY_BYTES;
    const wrappingKey = this.#wrappingKey(head.readUInt16BE(1));
    const dataKey = decrypt(wrappingKey, sealed.subarray(HEAD_BYTES, text), boundTo('key', head, owner));
    return decrypt(dataKey, sealed.subarray(text), boundTo('text', head, owner)).toString();
  }

  #wrappingKey(version: number): Buffer {
    const key = this.#wrappingKeys.find(version);
    if (key === null) throw new UnsealError(`no master key of version ${version} is known`);
    return key;
  }
}

function headOf(version: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(FORMAT, 0);
  head.writeUInt16BE(version, 1);
  return head;
}

function boundTo(part: 'key' | 'text', head: Buffer, { accountId, rowId }: SealedFor): Buffer {
  return Buffer.concat([head, Buffer.from(JSON.stringify(['sluice/provider-credentials', part, accountId, rowId]))]);
}

function encrypt(key: Buffer, plain: Buffer, bound: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(bound);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, box: Buffer, bound: Buffer): Buffer {
  const nonce = box.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(bound)
    .setAuthTag(box.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(box.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    // Node's message contains no further information.
    throw new UnsealError('they were changed, belong to another row, or were encrypted under another master key');
  }
}
