import { SettingsError, type ChatRequestContext, type ConnectionSettings, type ChatReceiver } from '../../contract.ts';
import type { HttpUpstream } from '../http/http-upstream.ts';
import { TranslatedAnswer } from '../chat/translated-answer.ts';
import { ResponsesDecoder } from '../../../protocols/responses/decode-stream.ts';
import { encodeResponsesRequest, type ResponsesOptions } from '../../../protocols/responses/encode-request.ts';
import type { ResponsesShape } from './responses-shape.ts';

/** The Responses API of a server that also has the chat API. */
export interface ResponsesClient {
  readonly provider: string;
  readonly upstream: HttpUpstream;
  readonly baseUrl: string;
  /** Appended to the path. */
  readonly query: string;
}

/**
 * Chat through /responses, on a connection's own sockets. The option `api` of a connection selects the models: all with
 * `responses`, none with `chat`; if absent, those that the provider serves at /responses only.
 */
export class ResponsesChat {
  readonly #client: ResponsesClient;
  readonly #shape: ResponsesShape;
  readonly #path: string;
  readonly #serves: (model: string) => boolean;

  /** @throws SettingsError for another value of `api` */
  constructor(client: ResponsesClient, shape: ResponsesShape, options: ConnectionSettings['options']) {
    this.#client = client;
    this.#shape = shape;
    this.#path = client.upstream.path(shape.path ?? '/responses') + client.query;
    this.#serves = serving(client, shape, options.api);
  }

  serves(model: string): boolean {
    return this.#serves(model);
  }

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

function serving(
  { provider, baseUrl }: ResponsesClient,
  { servesOnly, hosts }: ResponsesShape,
  api: string | undefined,
): (model: string) => boolean {
  if (api === 'responses') return () => true;
  if (api !== undefined && api !== 'chat')
    throw new SettingsError(
      `Provider \`${provider}\`: the option \`api\` must be \`chat\` or \`responses\`, not \`${api}\`.`,
    );
  const isOwnHost = hosts === undefined || hosts.test(new URL(baseUrl).hostname);
  return api === undefined && isOwnHost && servesOnly ? servesOnly : () => false;
}
