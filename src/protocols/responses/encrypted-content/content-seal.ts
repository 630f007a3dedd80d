import { SluiceError } from '../../../errors/index.ts';

/** Encrypts what clients keep for the next request: one account can read only its own. */
export interface ContentSeal {
  /** The same text for the same content: an item is sent several times. @param kind of content; needed to decrypt it */
  seal(kind: string, content: string): string;
  /** Null where it was modified, is of another kind, or was encrypted for another account. */
  open(kind: string, sealed: string): string | null;
}

/** Whether Sluice wrote an `encrypted_content`: no provider can read it. */
export function isSealedHere(content: unknown): boolean {
  return typeof content === 'string' && /^sluice-(?:reasoning|compaction)-[12]\./.test(content);
}

/** One kind of `encrypted_content`. */
export class SealedKind {
  readonly #prefix: string;
  /** Only encoded, not encrypted: written before there was encryption, and kept in stored conversations. */
  readonly #plainPrefix: string;

  constructor(kind: string) {
    this.#prefix = `sluice-${kind}-2.`;
    this.#plainPrefix = `sluice-${kind}-1.`;
  }

  /** Whether Sluice wrote it. */
  isOurs(content: string): boolean {
    return content.startsWith(this.#prefix) || content.startsWith(this.#plainPrefix);
  }

  write(content: string, seal: ContentSeal): string {
    return this.#prefix + seal.seal(this.#prefix, content);
  }

  /**
   * Decrypts a text that Sluice wrote.
   * @param path of the member, for errors
   * @throws SluiceError invalid_encrypted_content
   */
  read(content: string, seal: ContentSeal, path: string): string {
    if (content.startsWith(this.#plainPrefix))
      return Buffer.from(content.slice(this.#plainPrefix.length), 'base64').toString();
    const opened = seal.open(this.#prefix, content.slice(this.#prefix.length));
    if (opened === null) throw new SluiceError('invalid_encrypted_content', { param: path });
    return opened;
  }
}
