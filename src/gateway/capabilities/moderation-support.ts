import type { CompletionUpdate } from '../../live/events.ts';

/** The content of a request that is moderated. */
export interface ModerationInput {
  readonly texts: readonly string[];
  /** URLs: `https:`, `http:` or `data:`. */
  readonly images: readonly string[];
}

/** The result of a check: the flagged categories, or null where the model was unavailable. */
export type Finding = readonly string[] | null;

/** How a capability's content is moderated, and how a stream is annotated. */
export interface ModerationSupport<Request> {
  input(request: Request): ModerationInput;
  /** An additional event in the stream's format. `first`: the start of the stream. */
  annotation(first: Buffer, output: Finding): Buffer;
}

/** A text that fits the context of moderation models in any language. */
const PIECE_CHARACTERS = 20_000;
/** Text that is moderated again with the next part, since content may span the boundary. */
const OVERLAP_CHARACTERS = 250;

/** Splits long texts into overlapping pieces, without empty ones. */
export function splitTexts(texts: readonly string[]): string[] {
  return texts.flatMap((text) => {
    const pieces: string[] = [];
    for (let at = 0; at < text.length; at += PIECE_CHARACTERS)
      pieces.push(text.slice(Math.max(0, at - OVERLAP_CHARACTERS), at + PIECE_CHARACTERS).toWellFormed());
    return pieces.filter((piece) => piece.trim() !== '');
  });
}

/** The texts of a growing response: each choice, its reasoning and its tool calls separately. */
export class AnswerTexts {
  readonly #checkedTail = new Map<string, string>();
  readonly #unchecked = new Map<string, string>();
  /** Characters not taken yet. */
  length = 0;

  add(update: CompletionUpdate): void {
    if (update.type === 'delta' || update.type === 'reasoning')
      this.#append(`${update.type} ${update.choice}`, update.text);
    else if (update.type === 'toolCall') this.#append(`call ${update.choice} ${update.index}`, update.arguments);
  }

  /** The text since the last call, each with the overlap before it. */
  take(): string[] {
    const texts = [...this.#unchecked].map(([name, fresh]) => {
      const text = (this.#checkedTail.get(name) ?? '') + fresh;
      this.#checkedTail.set(name, text.slice(-OVERLAP_CHARACTERS));
      return text;
    });
    this.#unchecked.clear();
    this.length = 0;
    return texts;
  }

  #append(name: string, text: string): void {
    if (text === '') return;
    this.#unchecked.set(name, (this.#unchecked.get(name) ?? '') + text);
    this.length += text.length;
  }
}
