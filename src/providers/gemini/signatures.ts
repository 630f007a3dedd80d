import { readReasoningDetails, type ReasoningDetail, type ReasoningEncrypted } from '../shared/reasoning-details.ts';

export const signatureFormat = 'google-gemini-v1';

/**
 * What Google documents for a call whose signature is not to be had: a history of another model, or calls that the client made
 * itself. Source: ai.google.dev, "Thought signatures", FAQ.
 */
export const noSignature = 'skip_thought_signature_validator';

/** A signed part of text: the characters of the message's content that it holds, none where it is empty. */
export interface SignedText {
  readonly start: number;
  readonly end: number;
  /** How many calls stood before it. */
  readonly callsBefore: number;
  readonly signature: string;
}

/** A signed thought, in words. */
export interface SignedThought {
  readonly text: string;
  readonly signature: string;
}

/** The signatures that a client's message carries, by the parts that they belong to. */
export interface Signatures {
  /** By the call's id. */
  readonly calls: ReadonlyMap<string, string>;
  /** In their order. */
  readonly texts: readonly SignedText[];
  /** By the picture's place among the message's. */
  readonly images: ReadonlyMap<number, string>;
  readonly thoughts: readonly SignedThought[];
}

export function callSignature(callId: string, signature: string): ReasoningEncrypted {
  return { type: 'reasoning.encrypted', format: signatureFormat, id: callId, data: signature };
}

/** Google says that a signed part is neither joined to another nor split: so the detail's id says which characters it had. */
export function textSignature({ start, end, callsBefore, signature }: SignedText): ReasoningEncrypted {
  return { ...callSignature(`text:${start}:${end}:${callsBefore}`, signature) };
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
  const texts: SignedText[] = [];
  const thoughts: SignedThought[] = [];
  for (const detail of readReasoningDetails(reasoningDetails, signatureFormat)) {
    if (detail.type === 'reasoning.text' && detail.signature !== undefined)
      thoughts.push({ text: detail.text, signature: detail.signature });
    if (detail.type !== 'reasoning.encrypted') continue;
    const { id = '', data: signature } = detail;
    const [, start, end, callsBefore] = /^text:(\d{1,9}):(\d{1,9}):(\d{1,9})$/.exec(id) ?? [];
    const [, image] = /^image:(\d{1,9})$/.exec(id) ?? [];
    if (start !== undefined)
      texts.push({ start: Number(start), end: Number(end), callsBefore: Number(callsBefore), signature });
    else if (image !== undefined) images.set(Number(image), signature);
    else if (id !== '') calls.set(id, signature);
  }
  return { calls, texts, images, thoughts };
}
