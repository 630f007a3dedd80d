/** Bytes in which a response names itself: it does so first. */
const MAX_BYTES = 4_096;
/** A quotation mark within content is escaped, so neither matches content. Gemini has names of its own. */
const idPattern = /"(?:id|responseId)"\s*:\s*"([^"\\]{1,128})"/;
const modelPattern = /"(?:model|modelVersion)"\s*:\s*"([^"\\]{1,200})"/;

/** Reads the id and the model of a response from its first bytes. */
export class IdentityReader {
  id: string | null = null;
  model: string | null = null;
  #text = '';

  read(bytes: Buffer): void {
    if (this.#text.length >= MAX_BYTES || (this.id !== null && this.model !== null)) return;
    this.#text += bytes.toString('latin1', 0, MAX_BYTES - this.#text.length);
    this.id ??= idPattern.exec(this.#text)?.[1] ?? null;
    this.model ??= modelPattern.exec(this.#text)?.[1] ?? null;
  }

  restart(): void {
    this.#text = '';
    this.id = null;
    this.model = null;
  }
}
