import { textIn } from '../../../protocols/canonical/json-members.ts';
import { namedObjects } from '../../../protocols/chat-completions/provider-objects.ts';
import type { ChatRequest } from '../../../protocols/chat-completions/decode-request/schema.ts';
import type { Connection } from '../../../providers/contract.ts';
import { hasString } from '../../../providers/shared/json/strings/long-strings.ts';
import type { Call, OpenRequest } from '../../call.ts';
import type { ClientResponse, ResponseHead } from '../../client-response.ts';
import { ForwardingResponse } from '../../forwarding-response.ts';
import type { Pipeline } from '../../pipeline.ts';
import { objectIn, type RequestInput } from '../../request-input.ts';
import type { Capability } from '../capability.ts';
import { findHeld, type ClientObjects, type HeldObjects } from '../text/held-objects.ts';
import { chat, sendChat } from './chat.ts';

export interface ChatDependencies {
  readonly pipeline: Pipeline;
  /** As `TextDependencies.objects`. */
  readonly objects?: ClientObjects;
}

/** A member of each request that asks for audio, or names an earlier audio response. */
const AUDIO = '"audio"';
/** JSON escapes the quotes of a text, so that none looks like it. Source: OpenAI's API document, ChatCompletionResponseMessage. */
const audioIds = /"audio":\s*\{[^{}]*?"id":\s*"([\w-]{1,256})"/g;
const nothing: HeldObjects = { connectionId: null, holders: new Map() };

/**
 * Runs a chat. A promise only where it names an earlier audio response, which has to be looked up.
 * @throws SluiceError invalid_value for objects that different connections hold, database_unavailable; others go to the response
 */
export function openChat(deps: ChatDependencies, call: Call, input: RequestInput): OpenRequest | Promise<OpenRequest> {
  const { pipeline, objects } = deps;
  if (objects === undefined || !Buffer.isBuffer(input) || !hasString(input, AUDIO))
    return pipeline.open(chat, call, input);
  const open = (held: HeldObjects): OpenRequest => openWithAudio(pipeline, objects, call, input, held);
  const found = heldBy(objects, pipeline, call, input);
  return found === null ? open(nothing) : found.then(open);
}

/** Null where nothing has to be found: also for an invalid request, which the pipeline refuses. */
function heldBy(
  objects: ClientObjects,
  { dependencies: { router } }: Pipeline,
  { key }: Call,
  input: Buffer,
): Promise<HeldObjects> | null {
  try {
    const value = objectIn(input);
    return findHeld(objects, router, key, { model: textIn(value, 'model'), named: namedObjects(value) });
  } catch {
    return null;
  }
}

function openWithAudio(
  pipeline: Pipeline,
  objects: ClientObjects,
  call: Call,
  input: Buffer,
  { connectionId, holders }: HeldObjects,
): OpenRequest {
  let sentTo: Connection | null = null;
  const capability: Capability<ChatRequest> = {
    ...chat,
    send(connection, asked, context, receiver) {
      sentTo = connection;
      return sendChat(connection, asked, context, receiver, holders);
    },
  };
  const { accountId, id: apiKeyId } = call.key;
  const response = new AudioResponse(call.response, (objectIds) => {
    if (sentTo !== null) objects.record({ accountId, apiKeyId, connectionId: sentTo.id, objectIds });
  });
  const pinned = connectionId === null ? {} : { connectionId };
  return pipeline.open(capability, { ...call, ...pinned, response }, input);
}

/** Reads the ids of audio from a response that passes. */
class AudioResponse extends ForwardingResponse {
  readonly #onObtained: (ids: readonly string[]) => void;

  constructor(response: ClientResponse, onObtained: (ids: readonly string[]) => void) {
    super(response);
    this.#onObtained = onObtained;
  }

  override head(head: ResponseHead): void {
    this.response.head(head);
  }

  write(bytes: Buffer): boolean {
    this.#read(bytes);
    return this.response.write(bytes);
  }

  end(bytes: Buffer | null, costNano: bigint | null): void {
    if (bytes !== null) this.#read(bytes);
    this.response.end(bytes, costNano);
  }

  #read(bytes: Buffer): void {
    if (!bytes.includes(AUDIO)) return;
    const ids = [...bytes.toString('latin1').matchAll(audioIds)].map(([, id]) => id ?? '');
    if (ids.length > 0) this.#onObtained(ids);
  }
}
