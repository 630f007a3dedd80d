import type { ConnectionSettings, ProviderDeclaration, Services } from '../../contract.ts';
import type { ResponsesShape } from '../openai-responses/responses-shape.ts';
import type { ChatMessage } from '../../../protocols/canonical/generation-request.ts';
import type { BatchService } from '../batches/batch-service.ts';
import type { OpenAiBatchClient, OpenAiBatchShape } from '../batches/openai-batches.ts';
import type { ReadError } from '../http/upstream-error.ts';
import type { Dialect } from './dialect/dialect.ts';
import type { ServiceClient } from './services/service-client.ts';
import type { ServiceName } from './services/services.ts';

/** How an OpenAI-compatible provider differs from OpenAI. Absent members are as at OpenAI. */
export interface OpenAiShape extends Omit<ProviderDeclaration, 'open' | 'needsKey'> {
  /** True if absent. */
  readonly needsKey?: boolean;
  /** The headers that contain the key, names and values alternating; a bearer token if absent. */
  readonly authorization?: (apiKey: string) => readonly string[];
  /** False if the provider has no chat models. */
  readonly chats?: boolean;
  /** `/chat/completions` if absent; `model` is encoded as a path segment. */
  readonly chatPath?: string | ((model: string, settings: ConnectionSettings) => string);
  /** Whether it serves legacy completions at `/completions`, by model; they are converted to chats if absent. */
  readonly completions?: boolean | ((model: string) => boolean);
  /** `/models` if absent; null if the provider does not list its models. */
  readonly modelsPath?: string | null;
  /** Appended to each path: `?api-version=...`. */
  readonly query?: (settings: ConnectionSettings) => string;
  /** Builds the base URL from the settings, if it is not fixed. */
  readonly resolveBaseUrl?: (settings: ConnectionSettings) => string | undefined;
  /** The option from which `resolveBaseUrl` builds it. */
  readonly baseUrlOption?: string;
  /** OpenAI parameters that it does not support. */
  readonly unsupportedParams?: readonly string[];
  /** OpenAI parameters of which it supports some values only, with a predicate for these. */
  readonly supportedValues?: Readonly<Record<string, (value: unknown) => boolean>>;
  /** Its names of OpenAI parameters, if they differ: `max_tokens` for `max_completion_tokens`. */
  readonly renames?: Readonly<Record<string, string>>;
  /** False if it rejects `stream_options` and always reports the usage of streams. */
  readonly supportsStreamOptions?: boolean;
  /** Converts the messages to the provider's format. Returns the same array if nothing changes. */
  readonly messages?: (messages: readonly ChatMessage[]) => readonly unknown[];
  /** Whether the `file_data` of a chat may be the URL of a document; it must be the content if absent. */
  readonly fetchesDocuments?: boolean;
  /** As `Connection.maxImplicitSearches`; none if absent. */
  readonly maxImplicitSearches?: (model: string) => number;
  /** How it serves chat at /responses, for models that are only available there, or if the option `api` is `responses`. */
  readonly responses?: ResponsesShape;
  /** Services beside chat that use OpenAI's endpoints. */
  readonly services?: readonly ServiceName[];
  /** Services that differ from OpenAI's. */
  readonly customServices?: (client: ServiceClient) => Services;
  /** How it serves OpenAI's Batch API; absent if it does not. */
  readonly batches?: OpenAiBatchShape | ((settings: ConnectionSettings) => OpenAiBatchShape);
  /** A batch API of its own. */
  readonly customBatches?: (client: OpenAiBatchClient) => BatchService;
  /** The path of a service's endpoint; `endpoint` if absent; `model` is encoded as a path segment. */
  readonly servicePath?: (endpoint: string, model: string, settings: ConnectionSettings) => string;
  /** How its responses differ; they are relayed byte for byte if absent. */
  readonly dialect?: Dialect;
  /** Reads its error responses; OpenAI's format if absent. */
  readonly readError?: ReadError;
}
