import { SluiceError } from '../../../../errors/index.ts';
import { isObject } from '../../../../protocols/canonical/json-members.ts';
import type { SocketTurn } from '../../../../providers/contract.ts';
import { withMembers } from '../../../../providers/shared/http/request-body.ts';
import { parseJsonBody, requireParseable } from '../../json-body.ts';
import type { Conversation, RememberedItems } from './remembered-responses.ts';

const REASONING = 'reasoning.encrypted_content';
/** Source: OpenAI's API document, ResponsesClientEventResponseCreate. */
const streamIdForm = /^[\w.-]{1,256}$/;

/** A `response.create` event of a client. */
export interface TurnRequest {
  readonly body: Buffer;
  readonly value: Readonly<Record<string, unknown>>;
  /** Null for the stream without a name. */
  readonly streamId: string | null;
  readonly previousId: string | null;
  /** Whether a model answers it: a warm-up only prepares its successor. */
  readonly isGenerated: boolean;
}

/** @throws SluiceError invalid_json | invalid_value | json_too_complex */
export function readTurnRequest(body: Buffer): TurnRequest {
  requireParseable(body);
  const value = parseJsonBody(body);
  if (!isObject(value)) throw new SluiceError('invalid_json', { values: { reason: 'it must be an object.' } });
  const { type, stream_id: streamId, background, generate, previous_response_id: previousId } = value;
  if (type !== 'response.create') throw invalid('type', 'it must be `response.create`.');
  if (streamId !== undefined && (typeof streamId !== 'string' || !streamIdForm.test(streamId)))
    throw invalid('stream_id', 'it must be 1 to 256 letters, digits, "_", "." and "-".');
  if (background === true) throw invalid('background', 'a WebSocket does not support it. Send a POST request instead.');
  if (generate !== undefined && typeof generate !== 'boolean') throw invalid('generate', 'it must be true or false.');
  return {
    body,
    value,
    streamId: streamId ?? null,
    previousId: typeof previousId === 'string' ? previousId : null,
    isGenerated: generate !== false,
  };
}

/** The conversation before a request, with the items of its input. */
export function withInput({ value: { input } }: TurnRequest, { previousId, items }: Conversation): Conversation {
  const own = typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input;
  return { previousId, items: withItems(items, Array.isArray(own) ? own : []) };
}

export function withItems(items: RememberedItems, added: readonly unknown[]): RememberedItems {
  const [before, after] = [items.slice(0, -1), JSON.stringify(added).slice(1)];
  return `${before}${before === '[' || after === ']' ? '' : ','}${after}`;
}

/**
 * The request as the body of `POST /responses`. Reasoning is asked for in an encrypted form where the response is not stored, so
 * that the next turn can send it back.
 * @param conversation with its input, where it continues a response that is remembered; null: it is sent as it is
 */
export function postedBody({ body, value }: TurnRequest, conversation: Conversation | null, isStored: boolean): Buffer {
  const { include } = value;
  const included: readonly unknown[] = Array.isArray(include) ? include : [];
  return withMembers(body, {
    type: null,
    stream_id: null,
    generate: null,
    background: null,
    stream: 'true',
    ...(conversation !== null && {
      input: conversation.items,
      previous_response_id: conversation.previousId === null ? null : JSON.stringify(conversation.previousId),
    }),
    ...(!isStored && !included.includes(REASONING) && { include: JSON.stringify([...included, REASONING]) }),
  });
}

/** Members of the event in place of those of `postedBody`, for a provider that has WebSockets and holds its responses there. */
export function socketMembers({ value: { stream_id: streamId, include } }: TurnRequest): SocketTurn['members'] {
  return {
    stream: null,
    stream_id: streamId === undefined ? null : JSON.stringify(streamId),
    include: include === undefined ? null : JSON.stringify(include),
  };
}

function invalid(param: string, reason: string): SluiceError {
  return new SluiceError('invalid_value', { param, values: { reason } });
}
