import { countIn, isObject, textIn, type JsonObject } from '../../canonical/json-members.ts';

/** An item that is not complete, with its texts by their indices. */
interface OpenItem {
  readonly item: JsonObject;
  readonly texts: Map<number, string[]>;
}

/** The output of a streamed response before its end. Source: OpenAI's API document, ResponseStreamEvent. */
export class PartialOutput {
  readonly #complete = new Map<number, JsonObject>();
  readonly #open = new Map<number, OpenItem>();

  /** @param type of an event that has no response */
  add(type: string, event: JsonObject): void {
    const at = countIn(event, 'output_index');
    switch (type) {
      case 'response.output_item.added':
        if (isObject(event.item)) this.#open.set(at, { item: event.item, texts: new Map() });
        return;
      case 'response.output_item.done':
        if (isObject(event.item)) this.#complete.set(at, event.item);
        this.#open.delete(at);
        return;
      case 'response.output_text.delta': {
        const texts = this.#open.get(at)?.texts;
        const part = countIn(event, 'content_index');
        const pieces = texts?.get(part) ?? [];
        pieces.push(textIn(event, 'delta'));
        texts?.set(part, pieces);
        return;
      }
      default:
    }
  }

  /** Complete items as they are, and messages with their text so far. Other items mean nothing before they are complete. */
  items(): readonly JsonObject[] {
    const partial = [...this.#open].flatMap(([at, { item, texts }]) =>
      item.type === 'message' && texts.size > 0 ? [[at, interrupted(item, texts)] as const] : [],
    );
    return [...this.#complete, ...partial].toSorted(([one], [other]) => one - other).map(([, item]) => item);
  }
}

function interrupted(message: JsonObject, texts: OpenItem['texts']): JsonObject {
  const content = [...texts]
    .toSorted(([one], [other]) => one - other)
    .map(([, pieces]) => ({ type: 'output_text', annotations: [], logprobs: [], text: pieces.join('') }));
  return { ...message, status: 'incomplete', content };
}
