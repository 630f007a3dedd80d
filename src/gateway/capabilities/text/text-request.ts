import { SluiceError } from '../../../errors/index.ts';
import type { NamedObject } from '../../../protocols/canonical/protocol.ts';
import type { ChatRequest } from '../../../protocols/chat-completions/decode-request/schema.ts';
import type { Connection } from '../../../providers/contract.ts';

/** A request of a client protocol: as a chat, for everything that the gateway does and for providers of other protocols. */
export interface TextRequest {
  readonly chat: ChatRequest;
  readonly dropped: readonly string[];
  readonly refusal: SluiceError | null;
  readonly providerObjects: readonly NamedObject[];
  readonly stream: boolean;
}

/** What a request's URL and headers say beside its body. */
export interface TextCall {
  /** Where the URL and not the body names the model. */
  readonly model?: string;
  /** Where the URL and not the body says whether the response is streamed. */
  readonly stream?: boolean;
  /** As `NativeContext.headers`. */
  readonly headers: readonly string[];
  /** As `NativeContext.query`. */
  readonly query: string;
  /** Ids of the objects at the provider that the client may name on a shared connection; none if absent. */
  readonly objects?: ReadonlySet<string>;
  /** False where only a converted response can be returned; true if absent. */
  readonly isNativeAllowed?: boolean;
}

/** What a provider with the client's protocol holds for the account. */
export interface ObtainedObjects {
  readonly connectionId: string;
  readonly objectIds: readonly string[];
}

/** @throws SluiceError not_found for an object on a connection that accounts share, unless the client obtained it */
export function refuseForeignObjects(
  { id, provider }: Connection,
  { providerObjects }: Pick<TextRequest, 'providerObjects'>,
  own?: ReadonlySet<string>,
): void {
  const isShared = id === provider;
  const foreign = isShared ? providerObjects.find((object) => own?.has(object.id) !== true) : undefined;
  if (foreign !== undefined) throw new SluiceError('not_found', { param: foreign.path, values: { what: 'object' } });
}
