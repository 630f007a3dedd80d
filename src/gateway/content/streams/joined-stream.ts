import { isObject } from '../../../protocols/canonical/json-members.ts';
import type { ProtocolName } from '../../../protocols/canonical/protocol.ts';
import { ChunkCollector } from '../../../protocols/chat-completions/collect-chunks.ts';
import { SseEvents } from '../../../providers/shared/sse/sse-events.ts';
import { tryParse } from '../../json-text.ts';
import { joinedCompletion } from './joined-completion.ts';
import { joinedEvents } from './joined-events.ts';
import { joinedGemini } from './joined-gemini.ts';
import { joinedMessage } from './joined-message.ts';

const END_MARK = '[DONE]';

/**
 * A stream of server-sent events as one document: what the response would have been without `stream` where its protocol says so,
 * else its events with joined texts. Null for an empty stream.
 */
export function joinedStream(bytes: Buffer, protocol: ProtocolName | null): unknown {
  const events = eventsOf(bytes);
  return joinedParsed(events, protocol);
}

/** The same of parsed events: also the chunks of a stream that is a JSON array. */
export function joinedParsed(events: readonly unknown[], protocol: ProtocolName | null): unknown {
  const known = documentOf(events, protocol);
  if (known !== null) return known;
  return events.length === 0 ? null : joinedEvents(events);
}

function documentOf(events: readonly unknown[], protocol: ProtocolName | null): unknown {
  if (protocol === 'messages') return joinedMessage(events);
  if (protocol === 'gemini') return joinedGemini(events);
  if (protocol === 'completions') return joinedCompletion(events);
  if (protocol === 'responses') return finalResponse(events);
  return isChat(events) ? joinedChat(events) : null;
}

function joinedChat(events: readonly unknown[]): unknown {
  const chunks = new ChunkCollector();
  for (const event of events) chunks.add(event);
  const document = chunks.document();
  const failure = events.find((event) => isObject(event) && isObject(event.error));
  return document !== null && isObject(failure) ? { ...document, error: failure.error } : document;
}

function isChat(events: readonly unknown[]): boolean {
  return events.some((event) => isObject(event) && event.object === 'chat.completion.chunk');
}

/** The last event of a complete stream contains the response. Source: OpenAI's API document, ResponseStreamEvent. */
function finalResponse(events: readonly unknown[]): unknown {
  const last = events.findLast((event) => isObject(event) && isObject(event.response));
  if (!isObject(last)) return null;
  return /^response\.(?:completed|incomplete|failed)$/.test(String(last.type)) ? last.response : null;
}

function eventsOf(bytes: Buffer): unknown[] {
  const events: unknown[] = [];
  const reader = new SseEvents((data) => {
    if (data !== END_MARK) events.push(tryParse(data) ?? data);
  });
  reader.push(bytes);
  reader.end();
  return events;
}
