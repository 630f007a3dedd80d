import { SettingsError, type ProviderDeclaration } from '../contract.ts';
import { AnthropicConnection } from './connection.ts';

const ownBaseUrl = 'https://api.anthropic.com/v1';

/** Claude, by Anthropic's Messages API. */
export const anthropic: ProviderDeclaration = {
  id: 'anthropic',
  name: 'Anthropic',
  documentation: 'https://platform.claude.com/docs/en/api/messages',
  catalogueSources: { mediaPrices: 'anthropic' },
  baseUrl: ownBaseUrl,
  needsKey: true,
  open(settings) {
    // Behind another base URL stands another server, and it may ask for no key.
    if (settings.apiKey === undefined && settings.baseUrl === undefined)
      throw new SettingsError('Provider `anthropic` needs an API key.');
    return new AnthropicConnection('anthropic', { ...settings, baseUrl: settings.baseUrl ?? ownBaseUrl });
  },
};
