import { SluiceError } from '../../errors/index.ts';
import type { ResponseHead } from '../../gateway/client-response.ts';
import { compactionInput, compactionOf } from '../../gateway/capabilities/responses/compaction.ts';
import { HttpClientResponse } from '../http/http-client-response.ts';
import type { ResponseVariant } from './create-response.ts';

/** The response to `POST /responses/compact`: the compacted window of what ran as a response. */
class CompactionResponse extends HttpClientResponse {
  #head: ResponseHead | null = null;
  readonly #parts: Buffer[] = [];

  override head(head: ResponseHead): void {
    this.#head = head;
  }

  override write(bytes: Buffer): boolean {
    this.#parts.push(bytes);
    return true;
  }

  override end(bytes: Buffer | null, costNano: bigint | null): void {
    if (bytes !== null) this.#parts.push(bytes);
    const compacted = compactionOf(Buffer.concat(this.#parts));
    if (this.#head === null || compacted === null) return this.fail(new SluiceError('empty_compaction'), null);
    super.head({ ...this.#head, contentType: 'application/json', contentLength: compacted.length });
    super.end(compacted, costNano);
  }
}

/** `POST /responses/compact`. Source: OpenAI's API document, CompactResource. */
export const compaction: ResponseVariant = {
  clientResponse: (...given) => new CompactionResponse(...given),
  input: compactionInput,
};
