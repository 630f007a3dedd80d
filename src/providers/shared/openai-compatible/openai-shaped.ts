import { SettingsError, type Connection, type ConnectionSettings, type ProviderDeclaration } from '../../contract.ts';
import { OpenAiCompatibleConnection } from './connection.ts';
import type { OpenAiShape } from './openai-shape.ts';

/** Declares an OpenAI-compatible provider. */
export function openAiShaped(shape: OpenAiShape): ProviderDeclaration {
  const needsKey = shape.needsKey ?? true;
  return { ...shape, needsKey, open: (settings) => open(shape, needsKey, settings) };
}

function open(shape: OpenAiShape, needsKey: boolean, settings: ConnectionSettings): Connection {
  const baseUrl = settings.baseUrl ?? shape.resolveBaseUrl?.(settings) ?? shape.baseUrl;
  const { id, baseUrlOption: option } = shape;
  if (baseUrl === null)
    throw new SettingsError(`Provider \`${id}\` needs a base URL${option ? `, or its option \`${option}\`` : ''}.`);
  // A configured base URL leads to another server, which may not require a key.
  if (needsKey && settings.apiKey === undefined && settings.baseUrl === undefined)
    throw new SettingsError(`Provider \`${shape.id}\` needs an API key.`);
  return new OpenAiCompatibleConnection(shape, { ...settings, baseUrl });
}
