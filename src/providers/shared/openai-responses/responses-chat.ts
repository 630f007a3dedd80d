import type { ProtocolName } from '../../../protocols/canonical/protocol.ts';
import {
  SettingsError,
  type ChatReceiver,
  type ChatRequestContext,
  type ConnectionSettings,
  type NativeContext,
  type SendNative,
  type UpstreamReceiver,
} from '../../contract.ts';
import { overwriteMember, withMembers } from '../http/request-body.ts';
import type { HttpUpstream } from '../http/http-upstream.ts';
import { collected } from '../chat/collected-answer.ts';
import { TranslatedAnswer } from '../chat/translated-answer.ts';
import { ResponsesDecoder } from '../../../protocols/responses/decode-stream.ts';
import { encodeResponsesRequest, type ResponsesOptions } from '../../../protocols/responses/encode-request.ts';
import type { ResponsesShape } from './responses-shape.ts';
import { ResponsesSockets } from './socket/responses-sockets.ts';

const MAX_COUNT_BYTES = 64 * 1024;

/** The Responses API of a server that also has the chat API. */
export interface ResponsesClient {
  /** The connection's. */
  readonly id: string;
  readonly provider: string;
  readonly upstream: HttpUpstream;
  readonly baseUrl: string;
  /** Appended to the path. */
  readonly query: string;
}

/**
 * Chat through /responses, on a connection's own sockets. The option `api` of a connection selects the models: all with
 * `responses`, none with `chat`; if absent, those that the provider serves at /responses only. Its option `websockets` has
 * requests of clients' sockets sent over WebSockets, too.
 */
export class ResponsesChat {
  readonly #client: ResponsesClient;
  readonly #shape: ResponsesShape;
  readonly #path: string;
  readonly #serves: (model: string) => boolean;
  readonly #isNative: boolean;
  /** Whether a converted request may have the URL of a document. */
  readonly fetchesDocuments: boolean;
  /** Null where the provider has no WebSockets. */
  readonly #sockets: ResponsesSockets | null;

  /** @throws SettingsError for another value of `api` */
  constructor(client: ResponsesClient, shape: ResponsesShape, options: ConnectionSettings['options']) {
    this.#client = client;
    this.#shape = shape;
    this.#path = client.upstream.path(shape.path ?? '/responses') + client.query;
    this.#serves = serving(client, shape, options.api);
    this.#isNative =
      options.api === 'responses' || (options.api !== 'chat' && shape.isNative === true && isOwnHost(client, shape));
    this.fetchesDocuments = shape.fetchesDocuments === true && isOwnHost(client, shape);
    const { id, provider, upstream } = client;
    this.#sockets = hasWebSockets(client, shape, options.websockets)
      ? new ResponsesSockets({ id, provider, upstream, path: this.#path })
      : null;
  }

  /** Closes its WebSockets: those with requests in progress once these have ended. */
  retire(): void {
    this.#sockets?.retire();
  }

  /** As `Connection.storesResponses`. */
  get storesResponses(): boolean {
    return this.#shape.isStoring ?? true;
  }

  /** As `Connection.native`. */
  native(protocol: ProtocolName): SendNative | null {
    return this.#isNative && protocol === 'responses' ? this.#forward : null;
  }

  /** As `Connection.countTokens`. Source: OpenAI's API document, TokenCountsBody. */
  countTokens(
    protocol: ProtocolName,
    { model, body, headers }: NativeContext,
    signal: AbortSignal,
  ): Promise<Buffer> | null {
    if (this.#shape.countsTokens !== true || this.native(protocol) === null) return null;
    const { provider, upstream, query } = this.#client;
    const path = `${upstream.path(this.#shape.path ?? '/responses')}/input_tokens${query}`;
    const named = overwriteMember(body, 'model', JSON.stringify(model));
    const send = (receiver: UpstreamReceiver): void => void upstream.post(path, named, receiver, headers);
    return collected(provider, signal, send, MAX_COUNT_BYTES).then((response) => response.body);
  }

  serves(model: string): boolean {
    return this.#serves(model);
  }

  readonly #forward: SendNative = ({ model, body, headers, turn = null }, receiver) => {
    const named = overwriteMember(body, 'model', JSON.stringify(model));
    const sent = this.storesResponses ? named : withMembers(named, { store: 'false' });
    const post = (): void => this.#client.upstream.post(this.#path, sent, receiver, headers);
    if (turn === null || this.#sockets === null) post();
    else this.#sockets.send({ turn, body: sent, headers, post }, receiver);
    return [];
  };

  /** As `Connection.chat`. */
  chat(context: ChatRequestContext, receiver: ChatReceiver): readonly string[] {
    const { provider, upstream } = this.#client;
    const { body, dropped } = encodeResponsesRequest(context.request, responsesOptions(provider, this.#shape, context));
    const answer = new TranslatedAnswer(provider, context, receiver, (writer) => new ResponsesDecoder(writer));
    upstream.post(this.#path, body, answer);
    return dropped;
  }
}

/** The options of the encoder for one call. */
export function responsesOptions(
  provider: string,
  { encryptsReasoning, minOutputTokens = 1 }: ResponsesShape,
  { model, stream, parameters }: Pick<ChatRequestContext, 'model' | 'stream' | 'parameters'>,
): ResponsesOptions {
  return {
    provider,
    model,
    stream,
    parameters,
    encryptsReasoning: encryptsReasoning?.(model) ?? true,
    minOutputTokens,
  };
}

function serving(client: ResponsesClient, shape: ResponsesShape, api: string | undefined): (model: string) => boolean {
  const { provider } = client;
  const { servesOnly } = shape;
  if (api === 'responses') return () => true;
  if (api !== undefined && api !== 'chat')
    throw new SettingsError(
      `Provider \`${provider}\`: the option \`api\` must be \`chat\` or \`responses\`, not \`${api}\`.`,
    );
  return api === undefined && servesOnly && isOwnHost(client, shape) ? servesOnly : () => false;
}

/** The option `websockets` of a connection, `on` or `off`. A response that the gateway keeps has another id at the provider. */
function hasWebSockets(client: ResponsesClient, shape: ResponsesShape, websockets: string | undefined): boolean {
  const { isStoring = true, hasWebSockets: isDefault = false } = shape;
  if (websockets === undefined) return isDefault && isOwnHost(client, shape);
  if (websockets !== 'on' && websockets !== 'off')
    throw new SettingsError(
      `Provider \`${client.provider}\`: the option \`websockets\` must be \`on\` or \`off\`, not \`${websockets}\`.`,
    );
  return isStoring && websockets === 'on';
}

function isOwnHost({ baseUrl }: ResponsesClient, { hosts }: ResponsesShape): boolean {
  return hosts === undefined || hosts.test(new URL(baseUrl).hostname);
}
