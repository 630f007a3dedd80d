import { SluiceError } from '../../../errors/index.ts';
import type { JsonObject } from '../../canonical/json-members.ts';
import type { StreamPart } from '../../canonical/stream-part.ts';
import { compactionItem } from '../encrypted-content/compaction-item.ts';
import type { ContentSeal } from '../encrypted-content/content-seal.ts';
import type { EmitEvent, NameItem, ResponseOutput } from './response-output.ts';

/** Encodes a summary as the one item that stands for the conversation before it. */
export class CompactionOutput implements ResponseOutput {
  readonly #id: string;
  readonly #emit: EmitEvent;
  readonly #seal: ContentSeal;
  #summary = '';
  #isComplete = false;

  /** It would replace the conversation by nothing. */
  get failure(): SluiceError | null {
    return this.#summary.trim() === '' ? new SluiceError('empty_compaction') : null;
  }

  constructor(nameItem: NameItem, emit: EmitEvent, seal: ContentSeal) {
    this.#id = nameItem('cmp', 0);
    this.#emit = emit;
    this.#seal = seal;
  }

  add(part: StreamPart): void {
    if (part.type === 'text') this.#summary += part.text;
  }

  finish(): void {
    if (this.failure !== null) return;
    this.#isComplete = true;
    const [item] = this.items();
    this.#emit('response.output_item.added', { output_index: 0, item });
    this.#emit('response.output_item.done', { output_index: 0, item });
  }

  items(): JsonObject[] {
    return this.#isComplete ? [compactionItem(this.#id, this.#summary, this.#seal)] : [];
  }
}
