import type { CompletionUpdate } from '../../live/events.ts';

/** What of a request is judged before it is sent. */
export interface ModerationInput {
  readonly texts: readonly string[];
  /** Addresses: `https:`, `http:` or `data:`. */
  readonly images: readonly string[];
}

/** What a check has found: names of the categories that are flagged, or null where the model could not be asked. */
export type Finding = readonly string[] | null;

/** What of a capability a moderation model can judge, and how a streamed answer tells what was found of it. */
export interface ModerationSupport<Request> {
  input(request: Request): ModerationInput;
  /** One more event, like those that the stream has. `first`: what it began with. */
  annotation(first: Buffer, output: Finding): Buffer;
}

/** A text as models take it: no more than their context, whatever the language. */
const PIECE_CHARACTERS = 20_000;
/** So much of what was judged before is judged once more: what is meant may stand across the seam. */
const OVERLAP_CHARACTERS = 250;

/** Long texts in pieces that overlap. Empty ones are left out. */
export function splitTexts(texts: readonly string[]): string[] {
  return texts.flatMap((text) => {
    const pieces: string[] = [];
    for (let at = 0; at < text.length; at += PIECE_CHARACTERS)
      pieces.push(text.slice(Math.max(0, at - OVERLAP_CHARACTERS), at + PIECE_CHARACTERS).toWellFormed());
    return pieces.filter((piece) => piece.trim() !== '');
  });
}

/** The texts that an answer consists of, as they grow: each choice, its reasoning and its tool calls by themselves. */
export class AnswerTexts {
  readonly #judged = new Map<string, string>();
  readonly #fresh = new Map<string, string>();
  /** Characters that were not taken yet. */
  length = 0;

  add(update: CompletionUpdate): void {
    if (update.type === 'delta' || update.type === 'reasoning')
      this.#append(`${update.type} ${update.choice}`, update.text);
    else if (update.type === 'toolCall') this.#append(`call ${update.choice} ${update.index}`, update.arguments);
  }

  /** What came since the last time, each behind the end of what was taken of its text before. */
  take(): string[] {
    const taken = [...this.#fresh].map(([name, fresh]) => {
      const whole = (this.#judged.get(name) ?? '') + fresh;
      this.#judged.set(name, whole.slice(-OVERLAP_CHARACTERS));
      return whole;
    });
    this.#fresh.clear();
    this.length = 0;
    return taken;
  }

  #append(name: string, text: string): void {
    if (text === '') return;
    this.#fresh.set(name, (this.#fresh.get(name) ?? '') + text);
    this.length += text.length;
  }
}
