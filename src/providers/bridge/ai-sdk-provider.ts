import { SettingsError, type ConnectionSettings, type ProviderDeclaration } from '../contract.ts';
import { AiSdkConnection } from './ai-sdk-connection.ts';
import type { AiSdkPackage } from './package-declaration.ts';
import type { ModelKind } from './package/package-models.ts';

export interface AiSdkProvider extends ProviderDeclaration {
  /** The kinds of its models. */
  readonly kinds: readonly ModelKind[];
  open(settings: ConnectionSettings): AiSdkConnection;
}

/** Declares a provider of an AI SDK package. The package is loaded by the first request of a connection. */
export function aiSdkProvider(declared: AiSdkPackage): AiSdkProvider {
  const { id, providerAliases, name, documentation, baseUrl, needsKey, options, catalogueSources, kinds } = declared;
  const open = (settings: ConnectionSettings): AiSdkConnection => {
    // A configured base URL leads to another server, which may not require a key.
    if (needsKey && settings.apiKey === undefined && settings.baseUrl === undefined)
      throw new SettingsError(`Provider \`${id}\` needs an API key.`);
    declared.checkSettings?.(settings);
    return new AiSdkConnection(declared, settings);
  };
  return {
    id,
    ...(providerAliases && { providerAliases }),
    ...(options && { options }),
    ...(catalogueSources && { catalogueSources }),
    name,
    documentation,
    baseUrl,
    needsKey,
    kinds,
    open,
  };
}
