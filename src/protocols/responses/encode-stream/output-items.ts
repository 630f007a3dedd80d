import type { JsonObject } from '../../canonical/json-members.ts';
import type { ContentSeal } from '../encrypted-content/content-seal.ts';
import { callObject, type CallItem } from './call-item.ts';
import type { ItemStatus } from './response-output.ts';
import type { ReasoningDetailPart, TokenLogprob } from '../../canonical/stream-part.ts';
import { sealDetails } from '../encrypted-content/encrypted-reasoning.ts';

export interface ContentPart {
  readonly type: 'output_text' | 'refusal';
  text: string;
  readonly annotations: JsonObject[];
  readonly logprobs: JsonObject[];
}

export interface MessageItem {
  readonly type: 'message';
  readonly id: string;
  readonly parts: ContentPart[];
}

export interface ReasoningItem {
  readonly type: 'reasoning';
  readonly id: string;
  text: string;
  /** Whether its summary has begun. */
  hasSummary: boolean;
  /** Whether its summary is complete. */
  isClosed: boolean;
  readonly details: ReasoningDetailPart['detail'][];
}

export interface ImageItem {
  readonly type: 'image';
  readonly id: string;
  /** Base64. */
  readonly result: string;
}

/** An item of the output while it is encoded. */
export type OutputItem = MessageItem | CallItem | ReasoningItem | ImageItem;

/** Source: OpenAI's API document, OutputItem. */
export function itemObject(item: OutputItem, status: ItemStatus, seal: ContentSeal): JsonObject {
  const { id } = item;
  switch (item.type) {
    case 'message': {
      const content = status === 'in_progress' ? [] : item.parts.map(partObject);
      return { id, type: 'message', status, role: 'assistant', content };
    }
    case 'call':
      return callObject(item, status);
    case 'reasoning': {
      const summary = status === 'in_progress' || item.text === '' ? [] : [{ type: 'summary_text', text: item.text }];
      const sealed = item.details.length > 0 && { encrypted_content: sealDetails(item.details, seal) };
      return { id, type: 'reasoning', summary, ...sealed };
    }
    case 'image': {
      // Images arrive complete.
      const shown = status === 'in_progress' ? status : 'completed';
      return { id, type: 'image_generation_call', status: shown, result: item.result };
    }
  }
}

export function partObject({ type, text, annotations, logprobs }: ContentPart): JsonObject {
  return type === 'refusal' ? { type, refusal: text } : { type, text, annotations, logprobs };
}

/** Here `bytes` may not be null. Source: OpenAI's API document, LogProb. */
export function logprobObject(logprob: TokenLogprob): JsonObject {
  const alternatives = logprob.top_logprobs.map((each) => ({ ...each, bytes: bytesOf(each) }));
  return { ...logprob, bytes: bytesOf(logprob), top_logprobs: alternatives };
}

function bytesOf({ token, bytes }: Pick<TokenLogprob, 'token' | 'bytes'>): readonly number[] {
  return bytes ?? [...Buffer.from(token)];
}
