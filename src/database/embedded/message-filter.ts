const HEADER_BYTES = 5;
const READY_FOR_QUERY = 0x5a;

/**
 * Removes ReadyForQuery from a response that arrives in pieces. The engine sends it after an error in the extended protocol and
 * once more at Sync. A client reads the second one as the end of its next statement, and so each response as that of another
 * statement from then on. PostgreSQL sends it at Sync only. Source: PostgreSQL's documentation, "Extended Query".
 */
export class ReadyForQueryFilter {
  #header = Buffer.alloc(0);
  #bytesLeft = 0;
  #isRemoved = false;

  push(data: Uint8Array): Uint8Array {
    const kept: Uint8Array[] = [];
    for (let at = 0; at < data.length;) at = this.#readPart(data, at, kept);
    return kept.length === 1 ? (kept[0] ?? data) : Buffer.concat(kept);
  }

  /** @returns where the next part begins */
  #readPart(data: Uint8Array, at: number, kept: Uint8Array[]): number {
    if (this.#bytesLeft > 0) {
      const end = Math.min(data.length, at + this.#bytesLeft);
      this.#bytesLeft -= end - at;
      if (!this.#isRemoved) kept.push(data.subarray(at, end));
      return end;
    }
    const end = Math.min(data.length, at + HEADER_BYTES - this.#header.length);
    this.#header = Buffer.concat([this.#header, data.subarray(at, end)]);
    if (this.#header.length < HEADER_BYTES) return end;
    this.#isRemoved = this.#header[0] === READY_FOR_QUERY;
    // The length counts itself, not the type.
    this.#bytesLeft = this.#header.readUInt32BE(1) + 1 - HEADER_BYTES;
    if (!this.#isRemoved) kept.push(this.#header);
    this.#header = Buffer.alloc(0);
    return end;
  }
}
