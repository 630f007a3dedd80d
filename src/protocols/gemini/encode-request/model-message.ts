import { SluiceError } from '../../../errors/index.ts';
import type { AssistantMessage } from '../../canonical/generation-request.ts';
import { inlineData } from './media-part.ts';
import type { ModelTraits } from '../model-traits.ts';
import { extraSignature, noSignature, readSignatures, type Signatures } from '../signatures.ts';
import { listOf, objectOf, textOf } from '../../canonical/json-members.ts';

/**
 * Encodes an earlier response: signed thoughts, text, calls and images, each with its signature.
 * @throws SluiceError unsupported_value for a call of a custom tool
 */
export function modelParts(message: AssistantMessage, param: string, traits: ModelTraits): unknown[] {
  const signatures = readSignatures(message.reasoning_details);
  const calls = callParts(message, param, signatures, traits);
  return [
    ...signatures.thoughts.map((thought) => ({
      text: thought.text,
      thought: true,
      thoughtSignature: thought.signature,
    })),
    ...textsAndCalls(contentText(message), calls, signatures),
    ...imageParts(message, param, signatures),
  ];
}

function contentText({ content, refusal }: AssistantMessage): string {
  if (typeof content === 'string') return content === '' ? (refusal ?? '') : content;
  if (!content) return refusal ?? '';
  return content.map((part) => (part.type === 'text' ? part.text : part.refusal)).join('');
}

function callParts(
  { tool_calls: calls, function_call: legacyCall }: AssistantMessage,
  param: string,
  signatures: Signatures,
  { requiresSignatures }: ModelTraits,
): unknown[] {
  const parts = (calls ?? []).map((call, index) => {
    if (call.type !== 'function')
      throw new SluiceError('unsupported_value', {
        param: `${param}.tool_calls[${index}].type`,
        values: { reason: 'is custom: this provider has functions only.' },
      });
    // Only the first of parallel calls is signed.
    const known = signatures.calls.get(call.id) ?? extraSignature(call);
    const signature = known ?? (requiresSignatures && index === 0 ? noSignature : undefined);
    return signed(
      { functionCall: { id: call.id, name: call.function.name, args: argumentsOf(call.function.arguments) } },
      signature,
    );
  });
  if (legacyCall) {
    const { name, arguments: json } = legacyCall;
    const signature = requiresSignatures && parts.length === 0 ? noSignature : undefined;
    parts.push(signed({ functionCall: { name, args: argumentsOf(json) } }, signature));
  }
  return parts;
}

/** Text precedes the calls, unless a part with a known position was between or after them. */
function textsAndCalls(content: string, calls: readonly unknown[], { positioned }: Signatures): unknown[] {
  const parts: unknown[] = [];
  let at = 0;
  let called = 0;
  for (const known of positioned) {
    const { start, end, callsBefore } = known;
    if (start > at) parts.push({ text: content.slice(at, start) });
    while (called < Math.min(callsBefore, calls.length)) parts.push(calls[called++]);
    // The client may have shortened the text.
    const shown = content.slice(Math.max(start, at), end);
    parts.push('part' in known ? known.part : { text: shown, thoughtSignature: known.signature });
    at = Math.max(at, end);
  }
  if (at < content.length) parts.push({ text: content.slice(at) });
  return [...parts.filter(isNonEmpty), ...calls.slice(called)];
}

function isNonEmpty(part: unknown): boolean {
  const { text: words, thoughtSignature } = objectOf(part) ?? {};
  return words !== '' || thoughtSignature !== undefined;
}

/** Images of an earlier response: `images[]`. */
function imageParts(message: AssistantMessage, param: string, { images }: Signatures): unknown[] {
  return listOf(message.images).flatMap((image, index) => {
    const url = textOf(objectOf(objectOf(image)?.image_url)?.url);
    const part = url === null ? null : inlineData(url, `${param}.images[${index}].image_url.url`);
    return part === null ? [] : [signed(part, images.get(index))];
  });
}

/** Arguments of the model that are not an object are wrapped in one. */
function argumentsOf(json: string): unknown {
  if (json.trim() === '') return {};
  try {
    const parsed: unknown = JSON.parse(json);
    if (objectOf(parsed)) return parsed;
  } catch {
    // Wrapped below.
  }
  return { arguments: json };
}

function signed(part: object, thoughtSignature: string | undefined): object {
  return thoughtSignature === undefined ? part : { ...part, thoughtSignature };
}
