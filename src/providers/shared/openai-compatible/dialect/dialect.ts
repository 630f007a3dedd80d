import type { FinishReason } from '../../../../protocols/canonical/stream-part.ts';
import type { JsonObject } from '../../../../protocols/canonical/json-members.ts';

/** The context of a message or delta. */
export interface AnswerPart {
  /** The event or document that contains it. */
  readonly answer: JsonObject;
  readonly choice: JsonObject;
  readonly streamed: boolean;
}

/**
 * How a provider's responses differ from OpenAI's, in events and documents. A hook returns its argument if nothing changes.
 */
export interface Dialect {
  /**
   * Matches the events and documents that have to be parsed; all others are relayed byte for byte. A pattern with the quotes of
   * a member or value never matches generated text, whose quotes are escaped.
   */
  readonly marks: RegExp;
  /** Finds the usage, if it is not in `usage` or in the `usage` of a choice. */
  readonly findUsage?: (answer: JsonObject) => unknown;
  readonly usage?: (usage: JsonObject) => JsonObject;
  /** Converts a message or delta. */
  readonly message?: (message: JsonObject, part: AnswerPart) => JsonObject;
  /** OpenAI's finish reason for each of the provider's own; `error` if the response failed. */
  readonly finishReasons?: Readonly<Record<string, FinishReason | 'error'>>;
  /** Converts the complete event or document, after the other hooks. Null removes it. */
  readonly answer?: (answer: JsonObject, streamed: boolean) => JsonObject | null;
}
