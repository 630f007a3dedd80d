import type { ProtocolName } from '../../protocols/canonical/protocol.ts';
import { readGoogleError } from '../../protocols/gemini/errors.ts';
import type { Fetch } from '../bridge/package/connection-fetch.ts';
import type { ProtocolRelay } from '../bridge/package-declaration.ts';
import type {
  ConnectionSettings,
  GeminiEmbeddingsMethod,
  NativeContext,
  SendNative,
  UpstreamReceiver,
} from '../contract.ts';
import { collected } from '../shared/chat/collected-answer.ts';
import { HttpUpstream, type HttpUpstreamOptions } from '../shared/http/http-upstream.ts';
import { pathSegment } from '../shared/http/path-segment.ts';
import { memberValue, withItems, withMembers } from '../shared/http/request-body.ts';
import { OPEN_BRACE } from '../shared/json/json-bytes.ts';
import { AccessTokens } from './access-tokens.ts';
import { ClaudeRelay } from './claude-relay.ts';
import { isClaude } from './chat-dialects.ts';
import { EmbedContents } from './embed-contents.ts';
import { publisherUrl } from './service-account.ts';

const MAX_COUNT_BYTES = 64 * 1024;
/** Models by their name alone. Others have a publisher or an endpoint in their name, and other methods. */
const ownModel = /^[\w.@-]+$/;

/**
 * Requests of the Gemini API at Vertex AI, which has the same methods for Google's models: `generateContent`,
 * `streamGenerateContent` and `countTokens`. Requests of the Messages API go to Anthropic's models. Source:
 * docs.cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/projects.locations.publishers.models.
 */
export class VertexRelay implements ProtocolRelay {
  readonly #provider: string;
  readonly #google: HttpUpstream;
  readonly #embeddings: EmbedContents;
  /** Null in express mode, which has Google's models only. */
  readonly #claude: ClaudeRelay | null;

  constructor(provider: string, settings: ConnectionSettings, fetch: Fetch) {
    this.#provider = provider;
    const { connectTimeoutMs, dial } = settings;
    const common = { provider, connectTimeoutMs, dial, ...credentials(provider, settings, fetch) };
    this.#google = new HttpUpstream({
      ...common,
      baseUrl: publisherUrl(settings, 'google'),
      readError: readGoogleError,
    });
    this.#embeddings = new EmbedContents(provider, this.#google);
    this.#claude = settings.apiKey === undefined ? new ClaudeRelay(settings, common) : null;
  }

  native(protocol: ProtocolName, model: string): SendNative | null {
    if (protocol === 'gemini') return isGemini(model) ? this.#generate : null;
    const claude = protocol === 'messages' && isOwnClaude(model) ? this.#claude : null;
    return claude && ((context, receiver) => claude.send(context, receiver));
  }

  nativeEmbeddings(method: GeminiEmbeddingsMethod, model: string): SendNative | null {
    return this.#embeddings.native(method, model);
  }

  countTokens(protocol: ProtocolName, context: NativeContext, signal: AbortSignal): Promise<Buffer> | null {
    if (protocol === 'messages' && isOwnClaude(context.model))
      return this.#claude?.countTokens(context, signal) ?? null;
    if (protocol !== 'gemini' || !isGemini(context.model)) return null;
    const body = withRoles(countedMembers(context.body));
    const send = (receiver: UpstreamReceiver): void => void this.#post(context, 'countTokens', body, receiver);
    return collected(this.#provider, signal, send, MAX_COUNT_BYTES).then((answer) => answer.body);
  }

  async close(): Promise<void> {
    await Promise.all([this.#google.close(), this.#claude?.close()]);
  }

  readonly #generate: SendNative = (context, receiver) => {
    const method = context.stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
    return this.#post(context, method, withRoles(context.body), receiver);
  };

  #post({ model }: NativeContext, method: string, body: Buffer, receiver: UpstreamReceiver): readonly string[] {
    this.#google.post(this.#google.path(`/models/${pathSegment(model)}:${method}`), body, receiver);
    return [];
  }
}

function isGemini(model: string): boolean {
  return ownModel.test(model) && !isClaude(model);
}

function isOwnClaude(model: string): boolean {
  return ownModel.test(model) && isClaude(model);
}

/** Vertex AI refuses contents without a role, which the Gemini API reads as the user's. */
function withRoles(body: Buffer): Buffer {
  return withItems(body, 'contents', (item) =>
    item[0] === OPEN_BRACE && memberValue(item, 'role') === null ? withMembers(item, { role: '"user"' }) : item,
  );
}

const counted = [
  ['contents', 'contents'],
  ['systemInstruction', 'system_instruction'],
  ['tools', 'tools'],
  ['generationConfig', 'generation_config'],
] as const;

/** Vertex AI counts the members of a request beside each other, and not `generateContentRequest`. */
function countedMembers(body: Buffer): Buffer {
  const request = memberValue(body, 'generateContentRequest') ?? memberValue(body, 'generate_content_request');
  if (request?.[0] !== OPEN_BRACE) return body;
  const members = counted.flatMap(([name, spelling]) => {
    const value = memberValue(request, name) ?? memberValue(request, spelling);
    return value === null ? [] : [`"${name}":${value.toString()}`];
  });
  return Buffer.from(`{${members.join(',')}}`);
}

function credentials(
  provider: string,
  settings: ConnectionSettings,
  fetch: Fetch,
): Pick<HttpUpstreamOptions, 'headers' | 'authorize'> {
  if (settings.apiKey !== undefined) return { headers: ['x-goog-api-key', settings.apiKey] };
  const tokens = new AccessTokens(provider, settings, fetch);
  return { headers: [], authorize: async () => ['authorization', `Bearer ${await tokens.get()}`] };
}
