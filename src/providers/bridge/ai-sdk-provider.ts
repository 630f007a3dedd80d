import { SettingsError, type ConnectionSettings, type ProviderDeclaration } from '../contract.ts';
import { AiSdkConnection } from './ai-sdk-connection.ts';
import type { AiSdkPackage } from './package-declaration.ts';
import type { ModelKind } from './package/package-models.ts';

export interface AiSdkProvider extends ProviderDeclaration {
  /** What it has models of. */
  readonly kinds: readonly ModelKind[];
  open(settings: ConnectionSettings): AiSdkConnection;
}

/** Declares a provider of this family. Nothing of its package is loaded before a connection's first call. */
export function aiSdkProvider(declared: AiSdkPackage): AiSdkProvider {
  const { id, providerAliases, name, documentation, baseUrl, needsKey, options, catalogueSources, kinds } = declared;
  const open = (settings: ConnectionSettings): AiSdkConnection => {
    // Behind another base URL stands another server, and it may ask for no key.
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
