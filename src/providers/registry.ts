import type { Connection } from './contract.ts';
import { OpenAiCompatibleConnection } from './openai-compatible/connection.ts';

/** What an operator configures of a provider. */
export interface ConnectionSettings {
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
  readonly connectTimeoutMs: number;
}

interface ProviderDeclaration {
  readonly id: string;
  /** Where it is when nothing else is said. */
  readonly baseUrl: string;
  /** A local server needs no key. */
  readonly needsKey: boolean;
}

/** Providers that are known by name. Local servers are looked for on their usual ports. */
const declarations: readonly ProviderDeclaration[] = [
  { id: 'openai', baseUrl: 'https://api.openai.com/v1', needsKey: true },
  { id: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1', needsKey: false },
  { id: 'vllm', baseUrl: 'http://127.0.0.1:8000/v1', needsKey: false },
  { id: 'lm-studio', baseUrl: 'http://127.0.0.1:1234/v1', needsKey: false },
  { id: 'llama-cpp', baseUrl: 'http://127.0.0.1:8080/v1', needsKey: false },
];

export const knownProviders: readonly string[] = declarations.map(({ id }) => id);

/**
 * Opens a connection. An id that is not known by name is any server that speaks OpenAI's API, by its base URL.
 * @returns what is missing, in words, where it cannot be opened
 */
export function openConnection(provider: string, settings: ConnectionSettings): Connection | string {
  const declared = declarations.find(({ id }) => id === provider);
  const baseUrl = settings.baseUrl ?? declared?.baseUrl;
  if (baseUrl === undefined)
    return `provider ${provider} needs a base URL: it is none that is known by name (${knownProviders.join(', ')})`;
  // Behind another base URL stands another server, and it may ask for no key.
  if (declared?.needsKey && settings.apiKey === undefined && settings.baseUrl === undefined)
    return `provider ${provider} needs an API key`;
  return new OpenAiCompatibleConnection({
    provider,
    baseUrl,
    apiKey: settings.apiKey,
    connectTimeoutMs: settings.connectTimeoutMs,
  });
}
