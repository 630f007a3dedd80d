import { SettingsError, type Connection, type ConnectionSettings, type ProviderDeclaration } from '../contract.ts';
import { GeminiConnection } from './connection.ts';

const baseUrl = 'https://generativelanguage.googleapis.com/v1beta';

export const gemini: ProviderDeclaration = {
  id: 'gemini',
  providerAliases: ['google'],
  name: 'Google Gemini',
  documentation: 'https://ai.google.dev/api/generate-content',
  catalogueSources: { modelsDev: ['google'], mediaPrices: 'google' },
  baseUrl,
  needsKey: true,
  modelPrefixes: ['models/'],
  open,
};

function open(settings: ConnectionSettings): Connection {
  // A configured base URL leads to another server, which may not require a key.
  if (settings.apiKey === undefined && settings.baseUrl === undefined)
    throw new SettingsError('Provider `gemini` needs an API key.');
  return new GeminiConnection('gemini', { ...settings, baseUrl: settings.baseUrl ?? baseUrl });
}
