import { readReasoningDetails, type ReasoningDetail, type ReasoningEncrypted } from '../canonical/reasoning-details.ts';
import { objectOf, textOf, type JsonObject } from '../canonical/json-members.ts';

const signatureFormat = 'google-gemini-v1';

const toolMembers = ['toolCall', 'toolResponse', 'executableCode', 'codeExecutionResult'] as const;

/**
 * Google's documented value for a call without a signature: in a history of another model, or for calls that the client
 * created. Source: ai.google.dev, "Thought signatures", FAQ.
 */
export const noSignature = 'skip_thought_signature_validator';

/** The position of a part in the message: the characters of the content that it was shown as, none if it was empty. */
export interface PartPosition {
  readonly start: number;
  readonly end: number;
  /** The number of calls before it. */
  readonly callsBefore: number;
}

/** A signed text part. */
export interface SignedText extends PartPosition {
  readonly signature: string;
}

/**
 * A part that chat has no member for: a call of one of Google's built-in tools, or its result. It is sent back
 * unchanged.
 */
export interface ToolPart extends PartPosition {
  readonly part: JsonObject;
}

/** A signed thought with text. */
export interface SignedThought {
  readonly text: string;
  readonly signature: string;
}

/** The signatures in a client's message, by the parts that they belong to. */
export interface Signatures {
  /** By call id. */
  readonly calls: ReadonlyMap<string, string>;
  /** In order. */
  readonly positioned: readonly (SignedText | ToolPart)[];
  /** By the index of the image in the message. */
  readonly images: ReadonlyMap<number, string>;
  readonly thoughts: readonly SignedThought[];
}

export function callSignature(callId: string, signature: string): ReasoningEncrypted {
  return { type: 'reasoning.encrypted', format: signatureFormat, id: callId, data: signature };
}

/**
 * A call's signature in Google's own OpenAI-compatible API: `extra_content` of the call. Source:
 * ai.google.dev/gemini-api/docs/thought-signatures, "OpenAI compatibility".
 */
export function extraContent(signature: string): object {
  return { google: { thought_signature: signature } };
}

/** The signature within a call's `extra_content`, as the client sent it. */
export function extraSignature(call: unknown): string | undefined {
  const google = objectOf(objectOf(objectOf(call)?.extra_content)?.google);
  return textOf(google?.thought_signature) ?? undefined;
}

/**
 * Google requires that signed parts are neither joined nor split: the detail's id contains the range of its characters.
 */
export function textSignature({ start, end, callsBefore, signature }: SignedText): ReasoningEncrypted {
  return callSignature(`text:${start}:${end}:${callsBefore}`, signature);
}

export function toolPartDetail({ start, end, callsBefore, part }: ToolPart): ReasoningEncrypted {
  return callSignature(`part:${start}:${end}:${callsBefore}`, JSON.stringify(part));
}

/** Whether a part is a call or a result of Google's built-in tools. */
export function isToolPart(part: JsonObject): boolean {
  return toolMembers.some((name) => objectOf(part[name]) !== null);
}

export function imageSignature(image: number, signature: string): ReasoningEncrypted {
  return callSignature(`image:${image}`, signature);
}

export function thoughtSignature({ text, signature }: SignedThought): ReasoningDetail {
  return { type: 'reasoning.text', format: signatureFormat, text, signature };
}

/** @param reasoningDetails the message's member, as the client sent it */
export function readSignatures(reasoningDetails: unknown): Signatures {
  const calls = new Map<string, string>();
  const images = new Map<number, string>();
  const positioned: (SignedText | ToolPart)[] = [];
  const thoughts: SignedThought[] = [];
  for (const detail of readReasoningDetails(reasoningDetails, signatureFormat)) {
    if (detail.type === 'reasoning.text' && detail.signature !== undefined)
      thoughts.push({ text: detail.text, signature: detail.signature });
    if (detail.type !== 'reasoning.encrypted') continue;
    const { id = '', data: signature } = detail;
    const [, kind, start, end, callsBefore] = /^(text|part):(\d{1,9}):(\d{1,9}):(\d{1,9})$/.exec(id) ?? [];
    const [, image] = /^image:(\d{1,9})$/.exec(id) ?? [];
    const position = { start: Number(start), end: Number(end), callsBefore: Number(callsBefore) };
    if (kind === 'text') positioned.push({ ...position, signature });
    else if (kind === 'part') positioned.push(...toolPart(signature).map((part) => ({ ...position, part })));
    else if (image !== undefined) images.set(Number(image), signature);
    else if (id !== '') calls.set(id, signature);
  }
  return { calls, positioned, images, thoughts };
}

/** The stored part; none if the client changed it. */
function toolPart(json: string): JsonObject[] {
  try {
    const part = objectOf(JSON.parse(json));
    return part !== null && isToolPart(part) ? [part] : [];
  } catch {
    return [];
  }
}
