import type { ConnectionSettings, ProviderDeclaration, Services } from '../../contract.ts';
import type { ResponsesShape } from '../openai-responses/responses-shape.ts';
import type { ChatMessage } from '../../../protocols/canonical/generation-request.ts';
import type { ReadError } from '../http/upstream-error.ts';
import type { Dialect } from './dialect/dialect.ts';
import type { ServiceClient } from './services/service-client.ts';
import type { ServiceName } from './services/services.ts';

/** A provider whose API is OpenAI's, and how it differs. What is absent is as OpenAI has it. */
export interface OpenAiShape extends Omit<ProviderDeclaration, 'open' | 'needsKey'> {
  /** True where absent. */
  readonly needsKey?: boolean;
  /** How the key is sent, as header names and values in turn; as a bearer token where absent. */
  readonly authorization?: (apiKey: string) => readonly string[];
  /** False for a provider without chat. */
  readonly chats?: boolean;
  /** `/chat/completions` where absent; `model` is encoded for a path. */
  readonly chatPath?: string | ((model: string, settings: ConnectionSettings) => string);
  /** `/models` where absent; null for a provider that lists none. */
  readonly modelsPath?: string | null;
  /** Appended to each path: `?api-version=...`. */
  readonly query?: (settings: ConnectionSettings) => string;
  /** The provider's base URL from its own settings, where it is no fixed one. */
  readonly resolveBaseUrl?: (settings: ConnectionSettings) => string | undefined;
  /** The option from which `resolveBaseUrl` builds it. */
  readonly baseUrlOption?: string;
  /** Parameters of OpenAI's that it does not take. */
  readonly unsupportedParams?: readonly string[];
  /** Parameters of OpenAI's of which it takes certain values only, and what says so. */
  readonly supportedValues?: Readonly<Record<string, (value: unknown) => boolean>>;
  /** Parameters that it has under another name: `max_completion_tokens` as `max_tokens`. */
  readonly renames?: Readonly<Record<string, string>>;
  /** False for one that refuses `stream_options`, and tells the usage of streams unasked. */
  readonly supportsStreamOptions?: boolean;
  /** Puts the conversation into the provider's form; gives back the same array where that is OpenAI's. */
  readonly messages?: (messages: readonly ChatMessage[]) => readonly unknown[];
  /** As `Connection.maxImplicitSearches`; none where absent. */
  readonly maxImplicitSearches?: (model: string) => number;
  /** How it serves chat by /responses: for models that it serves so only, or where the option `api` is `responses`. */
  readonly responses?: ResponsesShape;
  /** What it offers beside chat, by OpenAI's endpoints. */
  readonly services?: readonly ServiceName[];
  /** What it offers in ways of its own. */
  readonly customServices?: (client: ServiceClient) => Services;
  /** Where an endpoint of a service is; `endpoint` itself where absent; `model` is encoded for a path. */
  readonly servicePath?: (endpoint: string, model: string, settings: ConnectionSettings) => string;
  /** How its answers differ; they go on byte for byte where absent. */
  readonly dialect?: Dialect;
  /** How it words its refusals; OpenAI's way where absent. */
  readonly readError?: ReadError;
}
