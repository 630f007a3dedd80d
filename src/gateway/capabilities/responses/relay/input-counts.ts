import type { Connection, HeaderMap } from '../../../../providers/contract.ts';
import type { KeyRecord } from '../../../keys/key-directory.ts';
import type { RequestInput } from '../../../request-input.ts';
import { ProviderCounts } from '../../text/provider-counts.ts';
import { relayableInput, type InputDependencies } from './relayable-input.ts';
import { forwardedHeaders } from './relayable-request.ts';
import type { GivenConversation } from './relayed-conversation.ts';
import { countedResponses } from './responses-protocol.ts';

/** A request whose input tokens are counted. */
export interface CountedInput {
  readonly key: KeyRecord;
  readonly requestId: string;
  readonly headers: HeaderMap;
  readonly body: RequestInput;
  /** The conversation kept here that it continues; null for none. */
  readonly within: GivenConversation | null;
}

/** Counts of the input tokens of requests for responses, by providers of the protocol. */
export class InputCounts {
  readonly #deps: InputDependencies;
  readonly #counts: ProviderCounts;

  constructor(deps: InputDependencies) {
    this.#deps = deps;
    this.#counts = new ProviderCounts(deps.pipeline.dependencies, countedResponses);
  }

  /**
   * @returns the provider's response; null where the count has to be estimated
   * @throws SluiceError not_found for an object that the client has not obtained; as `ProviderCounts.count`; database_unavailable
   */
  async count({ key, requestId, headers, body, within }: CountedInput, signal: AbortSignal): Promise<Buffer | null> {
    const relayed = await relayableInput(this.#deps, { key }, body, within);
    if (relayed === null) return null;
    const { preceded, named, objects, heldAt } = relayed;
    const { body: input, items } = preceded;
    const bodyFor = items && { bodyFor: (connection: Connection): Buffer => items.bodyFor(connection, input) };
    const call = { headers: forwardedHeaders(headers), query: '', objects, named, ...heldAt, ...bodyFor };
    return this.#counts.count({ ...call, key, input, requestId }, signal);
  }
}
