import type { ReplayedRequest } from '../../gateway/replay/replay-request.ts';

/** A message of a chat, as `POST /v1/chat/completions` has it. */
export type ChatMessage = ReplayedRequest['messages'][number];

/** What is known of the request that an item copies. */
export interface ItemMetadata {
  readonly requestId: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** As the client requested it. */
  readonly model: string;
  /** `provider/model`. */
  readonly servedModel: string;
  readonly protocol: string;
  readonly status: string;
  readonly finishReason: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Decimal. */
  readonly costUsd: string;
  readonly durationMs: number;
  /** Occurrences by the names of the redaction rules. */
  readonly redactions: Readonly<Record<string, number>>;
  /** Paths of what the chat does not contain. */
  readonly dropped: readonly string[];
}

/** The content of an item. */
export interface ItemDocument {
  readonly input: {
    readonly messages: readonly ChatMessage[];
    /** Other members of the chat, tools included. */
    readonly parameters: Readonly<Record<string, unknown>>;
  };
  /** The message of the assistant; null where the request had no output. */
  readonly output: ChatMessage | null;
  readonly metadata: ItemMetadata;
}

/** Longer documents are not copied, so that a page of items is never longer. */
export const MAX_ITEM_BYTES = 1_000_000;
