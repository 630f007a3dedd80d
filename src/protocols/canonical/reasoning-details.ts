/**
 * Reasoning that must be sent back with a tool's result: OpenAI's chat API has no member for it, so it is in
 * `reasoning_details` of the assistant's message, in OpenRouter's format, which clients send back unchanged. In a
 * stream, all of them are in one delta before the finish reason, so that accumulating clients, such as the official
 * SDK, preserve them. Source: OpenRouter's documentation, "Preserving reasoning blocks".
 */
export type ReasoningDetail = ReasoningText | ReasoningEncrypted | ReasoningSummary;

/** The provider that signed it: it is sent back to no other. */
export type ReasoningFormat = 'anthropic-claude-v1' | 'google-gemini-v1' | 'openai-responses-v1' | 'bedrock-v1';

interface ReasoningBase {
  readonly format: ReasoningFormat;
  /** The provider's id of it, or the id of the tool call that it belongs to. */
  readonly id?: string | undefined;
  /** The call that follows it, where a response reasons between its calls. */
  readonly tool_call_id?: string | undefined;
}

/** Readable and signed. */
export interface ReasoningText extends ReasoningBase {
  readonly type: 'reasoning.text';
  readonly text: string;
  readonly signature?: string | undefined;
}

/** Readable by the provider only. */
export interface ReasoningEncrypted extends ReasoningBase {
  readonly type: 'reasoning.encrypted';
  readonly data: string;
}

export interface ReasoningSummary extends ReasoningBase {
  readonly type: 'reasoning.summary';
  readonly summary: string;
}

/** The reasoning of a response, which its provider reads again in the next turn. */
export interface TurnReasoning {
  readonly calls: readonly { readonly id: string; readonly name: string }[];
  readonly details: readonly ReasoningDetail[];
  readonly text: string;
}

/** Stores the reasoning of responses for clients that do not send it back. */
export type StoreReasoning = (reasoning: TurnReasoning) => void;

/**
 * Whether it belongs to text: Google signs a text at its end, when a stream has sent it, and its built-in tools run between
 * texts.
 */
export function signsText({ format, id }: Pick<ReasoningBase, 'id'> & { readonly format?: unknown }): boolean {
  return format === 'google-gemini-v1' && /^(?:text|part):/.test(id ?? '');
}

/** Whether a client's detail is a signature of text. */
export function isSignatureOfText(value: unknown): boolean {
  return isDetail(value) && signsText(value);
}

/** The reasoning of one format in a client's message, in order. Others are ignored. */
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
