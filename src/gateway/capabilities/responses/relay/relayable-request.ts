import { objectsOf } from '../../../../protocols/canonical/json-members.ts';
import { itemsOf } from '../../../../protocols/responses/decode-request.ts';
import type { HeaderMap } from '../../../../providers/contract.ts';
import { withMembers } from '../../../../providers/shared/http/request-body.ts';
import type { RequestInput } from '../../../request-input.ts';
import type { NewResponse } from '../background/run-store.ts';
import type { ResponseCall } from '../open-response.ts';
import { relayableInput, type InputDependencies } from './relayable-input.ts';
import type { GivenConversation } from './relayed-conversation.ts';
import type { RelayableRequest } from './relayed-response.ts';

export type { RelayingSocket } from './relayable-input.ts';

export interface RelayDependencies extends InputDependencies {
  /** Stores a converted response. */
  store(response: NewResponse): void;
}

const endedStatuses = ['completed', 'incomplete', 'failed'] as const;

/** Headers of OpenAI's clients that belong to the protocol. Sources: OpenAI's API reference; requests of Codex 0.169. */
const forwarded: ReadonlySet<string> = new Set([
  'openai-beta',
  'originator',
  'session-id',
  'thread-id',
  'x-client-request-id',
]);
const forwardedPrefix = /^x-(?:codex|openai-internal-codex)-/;

/**
 * The request as a provider of its protocol may receive it; null where none serves its model, where it runs in the background,
 * where it continues a response that is stored here and that was converted, and where it contains what only Sluice can decrypt.
 * @param within the conversation that the request continues; null for none
 * @throws SluiceError not_found | invalid_value | database_unavailable
 */
export async function relayable<Given extends ResponseCall>(
  deps: RelayDependencies,
  call: Given,
  headers: HeaderMap,
  body: RequestInput,
  within: GivenConversation | null = null,
): Promise<RelayableRequest<Given> | null> {
  const relayed = await relayableInput(deps, call, body, within);
  if (relayed === null) return null;
  const { given, model, preceded, named, objects, heldAt } = relayed;
  const { value, body: sent, conversation, items, previousId, continues } = preceded;
  const isStored = value.store !== false && call.key.zeroRetention !== true;
  const { id: apiKeyId, accountId } = call.key;
  const stored = { input: objectsOf(itemsOf(given.input)), previousId };
  const input = isStored || value.store === false ? sent : withMembers(sent, { store: 'false' });
  return {
    call: { ...call, ...heldAt },
    input,
    parsed: input === body ? { input, value: given } : null,
    headers: forwardedHeaders(headers),
    objects,
    names: deps.names,
    named,
    isStored,
    continues,
    stored,
    items,
    conversation,
    turn: deps.socket?.turn ?? null,
    ...keeping(deps, call, { model, isStored, stored, conversation, hasEarlier: value !== given }),
    onObtained: (obtained) => deps.objects.record({ accountId, apiKeyId, ...obtained }),
  };
}

interface Keeping extends Pick<RelayableRequest, 'isStored' | 'stored' | 'conversation'> {
  readonly model: string;
  /** Whether earlier items precede those of the client's request. */
  readonly hasEarlier: boolean;
}

/** Stores the response, by the id of its request. */
function keeping(
  deps: RelayDependencies,
  { eventId: id, key }: ResponseCall,
  { model, isStored, stored, conversation, hasEarlier }: Keeping,
): Pick<RelayableRequest, 'keep' | 'keepRelayed'> {
  const shown = conversation !== null && { conversation: { id: conversation.id } };
  return {
    keep(request, converted, costNano) {
      conversation?.add(converted, null);
      if (!isStored) return;
      const input = hasEarlier ? stored.input : request.input;
      const { previousId } = stored;
      deps.store({ id, key, model, input, previousId, response: { ...converted, ...shown }, costNano });
    },
    keepRelayed(response, costNano) {
      const status = endedStatuses.find((name) => name === response.status);
      if (status === undefined) return;
      deps.store({ id, key, model, ...stored, response: { ...response, ...shown, status }, costNano });
    },
  };
}

/** Names and values in turn. */
export function forwardedHeaders(headers: HeaderMap): string[] {
  const pairs: string[] = [];
  for (const name in headers) {
    if (!forwarded.has(name) && !forwardedPrefix.test(name)) continue;
    const value = headers[name];
    if (typeof value === 'string') pairs.push(name, value);
  }
  return pairs;
}
