import { readAnthropicError } from '../../protocols/messages/errors.ts';
import { readGoogleError } from '../../protocols/gemini/errors.ts';
import { refuseOrDrop } from '../../protocols/canonical/parameter-policy.ts';
import type { ConnectionSettings, NativeContext, UpstreamReceiver } from '../contract.ts';
import { collected } from '../shared/chat/collected-answer.ts';
import { HttpUpstream, type HttpUpstreamOptions } from '../shared/http/http-upstream.ts';
import { withMembers } from '../shared/http/request-body.ts';
import { acceptedBetas, withConfiguredBetas } from '../shared/messages/accepted-betas.ts';
import { publisherUrl } from './service-account.ts';

const VERSION = '"vertex-2023-10-16"';
const MAX_COUNT_BYTES = 64 * 1024;

/**
 * Betas of models at Vertex AI; it names others in an error of status 400. Sources: the features that
 * docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude lists, by their names at
 * platform.claude.com/docs/en/api/beta-headers.
 */
const betas: readonly string[] = [
  'compact-2026-01-12',
  'computer-use-2024-10-22',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'interleaved-thinking-2025-05-14',
  'tool-search-tool-2025-10-19',
  'web-search-2025-03-05',
];

/**
 * Anthropic's Messages API at Vertex AI: `rawPredict` and `streamRawPredict` of the model in the path. The body has
 * `anthropic_version` in place of `model`; betas stay in the header. The response is Anthropic's own. Source:
 * platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai.
 */
export class ClaudeRelay {
  readonly #provider: string;
  readonly #upstream: HttpUpstream;
  readonly #betas: ReadonlySet<string>;

  constructor(settings: ConnectionSettings, options: Omit<HttpUpstreamOptions, 'baseUrl'>) {
    this.#provider = options.provider;
    this.#upstream = new HttpUpstream({ ...options, baseUrl: publisherUrl(settings, 'anthropic'), readError });
    this.#betas = withConfiguredBetas(betas, settings.options.anthropic_betas);
  }

  /** As `SendNative`. @param context its model is safe in a path */
  send(context: NativeContext, receiver: UpstreamReceiver): readonly string[] {
    const method = context.stream ? 'streamRawPredict' : 'rawPredict';
    const body = withMembers(context.body, { model: null, anthropic_beta: null, anthropic_version: VERSION });
    return this.#post(`${context.model}:${method}`, body, context, receiver);
  }

  /** As `Connection.countTokens`. The body names the model. */
  countTokens(context: NativeContext, signal: AbortSignal): Promise<Buffer> {
    const model = JSON.stringify(context.model);
    const body = withMembers(context.body, { model, anthropic_beta: null, anthropic_version: VERSION });
    const send = (receiver: UpstreamReceiver): void =>
      void this.#post('count-tokens:rawPredict', body, context, receiver);
    return collected(this.#provider, signal, send, MAX_COUNT_BYTES).then((answer) => answer.body);
  }

  close(): Promise<void> {
    return this.#upstream.close();
  }

  #post(method: string, body: Buffer, context: NativeContext, receiver: UpstreamReceiver): readonly string[] {
    const { sent, dropped } = acceptedBetas(context, this.#betas);
    const reported = refuseOrDrop(this.#provider, dropped, context.parameters);
    const headers = sent.length === 0 ? [] : ['anthropic-beta', sent.join(',')];
    this.#upstream.post(this.#upstream.path(`/models/${method}`), body, receiver, headers);
    return reported;
  }
}

/** The model's errors are Anthropic's, the platform's are Google's, which have a status in place of a type. */
function readError(body: string): ReturnType<typeof readAnthropicError> {
  return /"type"\s*:\s*"error"/.test(body) ? readAnthropicError(body) : readGoogleError(body);
}
