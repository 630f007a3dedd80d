import { SettingsError, type Connection, type ConnectionSettings, type ProviderDeclaration } from './contract.ts';
import { llamaCpp } from './llama-cpp.ts';
import { lmStudio } from './lm-studio.ts';
import { ollama } from './ollama.ts';
import { openAiShaped } from './openai-compatible/openai-shaped.ts';
import { openai } from './openai.ts';
import { vllm } from './vllm.ts';

/** Providers that are known by name. */
export const providers: readonly ProviderDeclaration[] = [openai, ollama, vllm, lmStudio, llamaCpp];

const byId = new Map(providers.map((provider) => [provider.id, provider]));

export const knownProviders: readonly string[] = [...byId.keys()];

/** Other prefixes of a provider's models: `google` for `gemini`. */
export const providerAliases: ReadonlyMap<string, string> = new Map(
  providers.flatMap(({ id, alsoKnownAs = [] }) => alsoKnownAs.map((other) => [other, id] as const)),
);

/**
 * Opens a connection. An id that is not known by name is any server that speaks OpenAI's API, by its base URL.
 * @throws SettingsError naming what is missing
 */
export function openConnection(provider: string, settings: ConnectionSettings): Connection {
  const declared = byId.get(provider);
  if (declared) return declared.open(settings);
  if (settings.baseUrl === undefined)
    throw new SettingsError(
      `provider ${provider} needs a base URL: it is none that is known by name (${knownProviders.join(', ')})`,
    );
  const unknown = openAiShaped({
    id: provider,
    name: provider,
    documentation: 'unverified',
    baseUrl: null,
    needsKey: false,
  });
  return unknown.open(settings);
}
