import type { FinishReason } from '../../../../protocols/canonical/stream-part.ts';
import type { JsonObject } from '../../../../protocols/canonical/json-members.ts';

/** Where a message, or a piece of one, stands. */
export interface AnswerPart {
  /** The event or document that it came in. */
  readonly answer: JsonObject;
  readonly choice: JsonObject;
  readonly streamed: boolean;
}

/**
 * How a provider's answers differ from OpenAI's, in events and documents alike. A hook gives back what it was given where
 * nothing in it has to change.
 */
export interface Dialect {
  /**
   * Found in the text of an event or document that has to be looked at; all others go on byte for byte. Names of members and
   * whole values stand in quotes there, and no text of the model's can pass for one: its own quotes are escaped.
   */
  readonly marks: RegExp;
  /** Where the usage stands, if not in `usage` or in a choice's `usage`. */
  readonly findUsage?: (answer: JsonObject) => unknown;
  readonly usage?: (usage: JsonObject) => JsonObject;
  /** A message, or a delta of one. */
  readonly message?: (message: JsonObject, part: AnswerPart) => JsonObject;
  /** Reasons that OpenAI does not have, and which of OpenAI's they are. `error`: the answer failed. */
  readonly finishReasons?: Readonly<Record<string, FinishReason | 'error'>>;
  /** The whole event or document, after all else. Null: not passed on. */
  readonly answer?: (answer: JsonObject, streamed: boolean) => JsonObject | null;
}
