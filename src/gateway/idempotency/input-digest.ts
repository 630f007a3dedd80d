import { createHash, type Hash } from 'node:crypto';
import { canonicalJson } from '../../catalogue/canonical-json.ts';
import type { RequestInput } from '../request-input.ts';

/** Sorting the members of a longer body would block other requests: it is compared byte by byte. */
const MAX_CANONICAL_BYTES = 1024 * 1024;

export interface InputDigest {
  readonly digest: Buffer;
  /** Whether it contains `store: false`. */
  readonly isUnstored: boolean;
}

/** A digest of the input: for JSON, independent of member order and white space. */
export function digestOf(input: RequestInput): InputDigest {
  if (!Buffer.isBuffer(input))
    return { digest: input.digest?.() ?? Buffer.alloc(0), isUnstored: input.fields['store'] === 'false' };
  const isLong = input.length > MAX_CANONICAL_BYTES;
  try {
    const value: unknown = isLong && !input.includes('"store"') ? null : JSON.parse(input.toString());
    const text = isLong ? input : canonicalJson(value);
    return { digest: sha256(text), isUnstored: isObject(value) && value['store'] === false };
  } catch {
    // Invalid or too deeply nested JSON is rejected by the parser.
    return { digest: sha256(input), isUnstored: false };
  }
}

/** The digest of a form, computed as its parts arrive: a retry may use another multipart boundary. */
export class FormDigest {
  readonly #parts: Hash[] = [];

  field(name: string, value: string): void {
    this.#parts.push(createHash('sha256').update(JSON.stringify(['field', name, value])));
  }

  /** @returns a hash to update with the file's bytes */
  file(name: string, filename: string | undefined, type: string): Hash {
    const hash = createHash('sha256').update(JSON.stringify(['file', name, filename ?? null, type]));
    this.#parts.push(hash);
    return hash;
  }

  digest(): Buffer {
    const all = createHash('sha256');
    for (const part of this.#parts) all.update(part.copy().digest());
    return all.digest();
  }
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
