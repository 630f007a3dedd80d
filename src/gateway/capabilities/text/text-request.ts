import type { SluiceError } from '../../../errors/index.ts';
import type { JsonObject } from '../../../protocols/canonical/json-members.ts';
import type { HostedTool, NamedObject, ProtocolName } from '../../../protocols/canonical/protocol.ts';
import type { MemberNames } from '../../../protocols/canonical/request/member-names.ts';
import type { ToolNames } from '../../../protocols/canonical/request/tool-names.ts';
import type { ObjectHolders } from '../foreign-objects.ts';
import { namedObjects } from '../chat/named-objects.ts';
import type { ChatRequest } from '../../../protocols/chat-completions/decode-request/schema.ts';
import type { Connection, SendNative, SocketTurn } from '../../../providers/contract.ts';

/** A request of a client protocol: as a chat, for everything that the gateway does and for providers of other protocols. */
export interface TextRequest {
  readonly chat: ChatRequest;
  /** The chats that a provider of another protocol is sent in its place, with as many choices each; none if absent. */
  readonly each?: readonly ChatRequest[] | undefined;
  readonly dropped: readonly string[];
  /** What members of the chat are in the client's body; the same if absent. */
  readonly memberNames?: MemberNames | undefined;
  readonly refusal: SluiceError | null;
  readonly providerObjects: readonly NamedObject[];
  /** As `DecodedRequest.isCommon`. */
  readonly isCommon?: boolean;
  /** As `DecodedRequest.hostedTools`. */
  readonly hostedTools?: readonly HostedTool[];
  /** As `DecodedText.beginning`. */
  readonly beginning?: readonly string[] | null;
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
  /** The objects at providers that the client may name on shared connections; none if absent. */
  readonly objects?: ObjectHolders;
  /** As `NativeContext.turn`; null if absent. */
  readonly turn?: SocketTurn | null;
  /** False where only a converted response can be returned; true if absent. */
  readonly isNativeAllowed?: boolean;
}

/** What the response to a request needs to know of it. */
export interface DecodedContext<Settings> {
  readonly settings: Settings;
  readonly model: string;
  readonly toolNames: ToolNames | null;
}

/** How a connection receives the request as it is; null where it is converted. @param model by the provider's own name */
export function nativeOf(
  connection: Connection,
  protocol: ProtocolName,
  { isCommon = true }: Pick<TextRequest, 'isCommon'>,
  { isNativeAllowed = true, model }: { readonly isNativeAllowed?: boolean; readonly model: string },
): SendNative | null {
  if (!isNativeAllowed || (connection.storesResponses === false && !isCommon)) return null;
  return connection.native?.(protocol, model) ?? null;
}

/** What a provider with the client's protocol holds for the account. */
export interface ObtainedObjects {
  readonly connectionId: string;
  readonly objectIds: readonly string[];
}

/** A response of a provider with the client's protocol. */
export interface RelayedDocument {
  readonly connection: Connection;
  readonly response: JsonObject;
}

/** What the request as a chat names, with the paths of the client's protocol. */
export function convertedObjects({ chat, providerObjects }: TextRequest): NamedObject[] {
  return namedObjects(chat).map(({ id, path }) => ({
    id,
    path: providerObjects.find((object) => object.id === id)?.path ?? path,
  }));
}
