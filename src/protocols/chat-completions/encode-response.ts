import type { GenerationResult, ResultCall, ResultChoice } from '../canonical/generation-result.ts';
import { annotationObject, completionId } from './response-members.ts';
import { usageObject } from '../canonical/usage.ts';

/** Encodes OpenAI's `chat.completion` document. Source: OpenAI's API document, CreateChatCompletionResponse. */
export function encodeResponse(result: GenerationResult): Buffer {
  return Buffer.from(JSON.stringify(responseObject(result)));
}

/** The same as an object. */
export function responseObject({ start, choices, usage }: GenerationResult): Record<string, unknown> {
  return {
    id: completionId(start.id),
    object: 'chat.completion',
    created: start.created,
    model: start.model,
    choices: choices.map(choiceObject),
    ...(usage && { usage: usageObject(usage) }),
  };
}

/** One of the document's `choices`. */
export function choiceObject(choice: ResultChoice, index: number): Record<string, unknown> {
  return {
    index,
    message: messageObject(choice),
    logprobs: choice.logprobs.length > 0 ? { content: choice.logprobs, refusal: null } : null,
    finish_reason: choice.finishReason,
  };
}

function messageObject(choice: ResultChoice): Record<string, unknown> {
  return {
    role: 'assistant',
    content: choice.text,
    refusal: choice.refusal,
    ...(choice.reasoning !== '' && { reasoning_content: choice.reasoning }),
    ...(choice.reasoningDetails.length > 0 && { reasoning_details: choice.reasoningDetails }),
    ...(choice.calls.length > 0 && { tool_calls: choice.calls.map(callObject) }),
    ...(choice.images.length > 0 && {
      images: choice.images.map((url) => ({ type: 'image_url', image_url: { url } })),
    }),
    ...(choice.citations.length > 0 && { annotations: choice.citations.map(annotationObject) }),
  };
}

function callObject({ id, name, isCustom, extraContent, input }: ResultCall): Record<string, unknown> {
  if (isCustom) return { id, type: 'custom', custom: { name, input } };
  const called = { name, arguments: input === '' ? '{}' : input };
  return { id, type: 'function', ...(extraContent && { extra_content: extraContent }), function: called };
}
