/**
 * Anthropic's Messages API, spoken natively: `POST /messages`.
 *
 * How reasoning travels. A caller asks for it by OpenAI's `reasoning_effort`, which becomes `thinking` and
 * `output_config.effort`; one that knows Anthropic's `thinking` gives that itself. Thinking is shown as `reasoning_content`.
 * Signed, it comes as `reasoning_details` of the format `anthropic-claude-v1`: `reasoning.text` with `text` and `signature` for a
 * thinking block, `reasoning.encrypted` with `data` for a redacted one. A block that did not stand before all else says where it
 * stood: `id` is `after:{characters of the content}:{calls}`. A client that sends the message back as it got it sends each block
 * back where it was, before the text and the calls that came of it, and so a tool's round trip goes on thinking.
 *
 * Models that think by a budget refuse to think on when a round trip's first message lacks its thinking: `reasoning_effort` is
 * left out of that call, and told as left out. Models that decide by themselves take such a conversation as it is. The newest
 * check thinking against all that stood before it: there the request asks that thinking which no longer fits be left out.
 *
 * Blocks of Anthropic's own tools have no place in OpenAI's messages. Between thinking they are carried too, whole, as
 * `reasoning.encrypted` whose `id` is `block:{characters}:{calls}` and whose `data` is the block's JSON; so is a compaction.
 * Source: platform.claude.com/docs/en/build-with-claude/thinking and /preserved-thinking.
 */
import { SluiceError } from '../../errors/index.ts';
import type { ChatRequestContext, Connection, ConnectionSettings, Services, ChatReceiver } from '../contract.ts';
import { HttpUpstream } from '../shared/http/http-upstream.ts';
import { TranslatedAnswer } from '../shared/chat/translated-answer.ts';
import { MessagesDecoder } from '../../protocols/messages/decode-stream.ts';
import { readAnthropicError } from '../../protocols/messages/errors.ts';
import { isObject, listOf, textOf, type JsonObject } from '../../protocols/canonical/json-members.ts';
import { encodeMessagesRequest } from '../../protocols/messages/encode-request.ts';
import { modelTraits } from './model-traits.ts';

const VERSION = '2023-06-01';
const MAX_PAGES = 20;

/** A connection to Anthropic, or to a server that speaks its API. */
export class AnthropicConnection implements Connection {
  readonly id: string;
  readonly provider: string;
  readonly billed: boolean;
  readonly services: Services = {};
  readonly #upstream: HttpUpstream;
  readonly #path: string;

  constructor(provider: string, settings: ConnectionSettings & { readonly baseUrl: string }) {
    this.id = settings.id;
    this.billed = settings.billed ?? true;
    this.provider = provider;
    this.#upstream = new HttpUpstream({
      provider,
      baseUrl: withVersion(settings.baseUrl),
      headers: ['anthropic-version', VERSION, ...(settings.apiKey === undefined ? [] : ['x-api-key', settings.apiKey])],
      connectTimeoutMs: settings.connectTimeoutMs,
      dial: settings.dial,
      readError: readAnthropicError,
    });
    this.#path = this.#upstream.path('/messages');
  }

  chat(context: ChatRequestContext, receiver: ChatReceiver): readonly string[] {
    const { request, model, stream, parameters } = context;
    const options = { provider: this.provider, model, stream, parameters, traits: modelTraits(model) };
    const { body, betas, dropped } = encodeMessagesRequest(request, options);
    const answer = new TranslatedAnswer(this.provider, context, receiver, (writer) => new MessagesDecoder(writer));
    this.#upstream.post(this.#path, body, answer, betas.length > 0 ? ['anthropic-beta', betas.join(',')] : []);
    return dropped;
  }

  readsReasoning(): boolean {
    return true;
  }

  async listModels(): Promise<readonly string[]> {
    const names: string[] = [];
    let after = '';
    for (let page = 0; page < MAX_PAGES; page++) {
      const answer = await this.#modelsPage(after);
      for (const model of listOf(answer.data))
        if (isObject(model) && typeof model.id === 'string') names.push(model.id);
      const last = textOf(answer.last_id);
      if (answer.has_more !== true || last === null || last === after) break;
      after = last;
    }
    return names;
  }

  close(): Promise<void> {
    return this.#upstream.close();
  }

  async #modelsPage(after: string): Promise<JsonObject> {
    const query = `limit=1000${after === '' ? '' : `&after_id=${encodeURIComponent(after)}`}`;
    const answer = await this.#upstream.getJson(this.#upstream.path(`/models?${query}`));
    if (isObject(answer) && Array.isArray(answer.data)) return answer;
    throw new SluiceError('provider_invalid_response', {
      values: { provider: this.provider },
      detail: 'no list of models',
    });
  }
}

/** Anthropic's own SDKs take a base URL without the version, and so do people who set one. */
function withVersion(baseUrl: string): string {
  return new URL(baseUrl).pathname === '/' ? new URL('/v1', baseUrl).href : baseUrl;
}
