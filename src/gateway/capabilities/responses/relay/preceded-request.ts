import type { ResponseCall } from '../open-response.ts';
import { adaptedRequest, type AdaptedItems, type AdaptionDependencies } from './adapted-items.ts';
import { continuedRequest, type ExtendedRequest } from './continued-request.ts';
import { conversationRequest, type GivenConversation, type RelayedConversation } from './relayed-conversation.ts';

/** A request with what precedes its own items, where Sluice keeps that. */
export interface PrecededRequest extends ExtendedRequest {
  readonly conversation: RelayedConversation | null;
  /** Whether it continues a response for a provider that stores none. */
  readonly isContinued: boolean;
  readonly items: AdaptedItems | null;
  /** The response that it continues: its UUID, and its public id. */
  readonly previousId: string | null;
  readonly continues: string | null;
}

const none = { conversation: null, isContinued: false, items: null, previousId: null, continues: null };

/** A request that nothing precedes; null for one that may continue something. */
export function firstRequest(request: ExtendedRequest, within: GivenConversation | null): PrecededRequest | null {
  const isFirst = within === null && typeof request.value.previous_response_id !== 'string';
  return isFirst ? { ...none, ...request } : null;
}

/**
 * @returns null where the conversation cannot be relayed
 * @throws SluiceError not_found | previous_response_not_found | invalid_value | database_unavailable
 */
export async function precededRequest(
  deps: AdaptionDependencies,
  { key }: Pick<ResponseCall, 'key'>,
  request: ExtendedRequest,
  within: GivenConversation | null,
): Promise<PrecededRequest | null> {
  if (within !== null) {
    const found = await conversationRequest(deps, key, request, within);
    return found && { ...none, ...found, items: found.conversation.items };
  }
  const continued = await continuedRequest(deps, key, request.body, request.value);
  if (continued !== null) return { ...none, ...continued, isContinued: true, continues: continued.publicId };
  const adapted = await adaptedRequest(deps, key, request);
  return adapted === null ? { ...none, ...request } : { ...none, ...adapted, continues: adapted.publicId };
}
