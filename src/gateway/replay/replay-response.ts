import { collectResult } from '../../protocols/canonical/generation-result.ts';
import { isObject, listOf, type JsonObject } from '../../protocols/canonical/json-members.ts';
import type { ResponseDecoder } from '../../protocols/canonical/response-decoder.ts';
import { StreamPartWriter } from '../../protocols/canonical/stream-part-writer.ts';
import { responseObject } from '../../protocols/chat-completions/encode-response.ts';
import { decodeUsage } from '../../protocols/chat-completions/decode-usage.ts';
import { CompletionsDecoder } from '../../protocols/completions/decode-document.ts';
import { GeminiDecoder } from '../../protocols/gemini/decode-stream.ts';
import { MessagesDecoder } from '../../protocols/messages/decode-stream.ts';
import { ResponsesDecoder } from '../../protocols/responses/decode-stream.ts';

/** Members of a message that a chat can send back. */
const messageMembers: ReadonlySet<string> = new Set(['role', 'content', 'refusal', 'tool_calls']);

/**
 * The first choice of a logged response of any protocol as the assistant's message of a chat. Null where it has none: the request
 * failed, or was cancelled before its output.
 */
export function replayResponse(body: unknown): JsonObject | null {
  if (!isObject(body)) return null;
  const [choice] = listOf(chatDocument(body)?.choices);
  if (!isObject(choice) || !isObject(choice.message)) return null;
  const { message } = choice;
  const members = Object.entries(message).filter(
    ([name, value]) => messageMembers.has(name) && (value ?? null) !== null,
  );
  const given: JsonObject = Object.fromEntries(members);
  const hasOutput = given.content !== undefined || given.refusal !== undefined || listOf(given.tool_calls).length > 0;
  return hasOutput ? { role: 'assistant', content: null, ...given } : null;
}

/** A converted response is logged as a chat's, whatever the protocol of its client. */
function chatDocument(body: JsonObject): JsonObject | null {
  const choices = listOf(body.choices);
  if (choices.length > 0 && choices.every((choice) => isObject(choice) && isObject(choice.message))) return body;
  const writer = new StreamPartWriter('model');
  const decoder = decoderOf(body, writer);
  if (decoder === null) return null;
  decoder.document(body);
  const { start, choices: decoded, usage } = collectResult(writer.take() ?? []);
  return start === null ? null : responseObject({ start, choices: decoded, usage });
}

/** By the members that only one protocol has. */
function decoderOf(body: JsonObject, writer: StreamPartWriter): ResponseDecoder | null {
  if (Array.isArray(body.choices)) return new CompletionsDecoder(writer, decodeUsage);
  if (Array.isArray(body.output)) return new ResponsesDecoder(writer);
  if (Array.isArray(body.content)) return new MessagesDecoder(writer);
  if (Array.isArray(body.candidates)) return new GeminiDecoder(writer, null);
  return null;
}
