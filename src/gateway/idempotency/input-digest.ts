import { createHash, type Hash } from 'node:crypto';
import { canonicalJson } from '../../catalogue/canonical-json.ts';
import type { RequestInput } from '../request-input.ts';

/** To sort the members of a longer body would keep other requests waiting: it is compared byte by byte. */
const MAX_CANONICAL_BYTES = 1024 * 1024;

export interface InputDigest {
  readonly digest: Buffer;
  /** Whether it says `store: false`. */
  readonly isUnstored: boolean;
}

/** What tells two inputs apart: of JSON, whatever the order of its members and the white space between them. */
export function digestOf(input: RequestInput): InputDigest {
  if (!Buffer.isBuffer(input))
    return { digest: input.digest?.() ?? Buffer.alloc(0), isUnstored: input.fields['store'] === 'false' };
  const isLong = input.length > MAX_CANONICAL_BYTES;
  try {
    const value: unknown = isLong && !input.includes('"store"') ? null : JSON.parse(input.toString());
    const text = isLong ? input : canonicalJson(value);
    return { digest: sha256(text), isUnstored: isObject(value) && value['store'] === false };
  } catch {
    // What is no JSON, or is nested too deeply, is refused by whoever parses it.
    return { digest: sha256(input), isUnstored: false };
  }
}

/** The digest of a form, made while its parts arrive: a client that sends it again draws another boundary. */
export class FormDigest {
  readonly #parts: Hash[] = [];

  field(name: string, value: string): void {
    this.#parts.push(createHash('sha256').update(JSON.stringify(['field', name, value])));
  }

  /** @returns what takes the bytes of a file */
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
