/**
 * What a reasoning model needs to see again when a tool's result is sent back: OpenAI's chat API has no place for it, so it
 * travels as `reasoning_details` of the assistant's message, in OpenRouter's form, which clients carry back untouched. In a
 * stream all of them come in one delta before the finish, so that accumulating clients, the official SDK's among them, keep
 * them whole. Source: OpenRouter's documentation, "Preserving reasoning blocks".
 */
export type ReasoningDetail = ReasoningText | ReasoningEncrypted | ReasoningSummary;

/** Whose signature it is: only that provider is sent it again. */
export type ReasoningFormat = 'anthropic-claude-v1' | 'google-gemini-v1' | 'openai-responses-v1' | 'bedrock-v1';

interface ReasoningBase {
  readonly format: ReasoningFormat;
  /** The provider's id of it, or the id of the tool call that it belongs to. */
  readonly id?: string | undefined;
  /** The call that came right after it, where an answer reasons between its calls. */
  readonly tool_call_id?: string | undefined;
}

/** Readable, and signed. */
export interface ReasoningText extends ReasoningBase {
  readonly type: 'reasoning.text';
  readonly text: string;
  readonly signature?: string | undefined;
}

/** Readable by the provider alone. */
export interface ReasoningEncrypted extends ReasoningBase {
  readonly type: 'reasoning.encrypted';
  readonly data: string;
}

export interface ReasoningSummary extends ReasoningBase {
  readonly type: 'reasoning.summary';
  readonly summary: string;
}

/** What a message thought before its calls, which its provider wants to see again with their results. */
export interface CalledReasoning {
  readonly calls: readonly { readonly id: string; readonly name: string }[];
  readonly details: readonly ReasoningDetail[];
}

/** Remembers the reasoning of answers with calls. */
export type KeepReasoning = (reasoning: CalledReasoning) => void;

/** Those of one format in a caller's message, in their order. What is none is passed over. */
export function readReasoningDetails(value: unknown, format: ReasoningFormat): ReasoningDetail[] {
  if (!Array.isArray(value)) return [];
  return value.filter((detail): detail is ReasoningDetail => isDetail(detail) && detail.format === format);
}

function isDetail(value: unknown): value is ReasoningDetail {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  const texts: Record<string, unknown> = { ...value };
  if (texts.id !== undefined && typeof texts.id !== 'string') return false;
  if (texts.tool_call_id !== undefined && typeof texts.tool_call_id !== 'string') return false;
  if (texts.type === 'reasoning.text')
    return typeof texts.text === 'string' && (texts.signature === undefined || typeof texts.signature === 'string');
  if (texts.type === 'reasoning.encrypted') return typeof texts.data === 'string';
  return texts.type === 'reasoning.summary' && typeof texts.summary === 'string';
}
