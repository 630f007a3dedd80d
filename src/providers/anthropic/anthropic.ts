import { SettingsError, type ProviderDeclaration } from '../contract.ts';
import { cachesPrompts, promptCachingOption } from '../shared/chat/prompt-caching.ts';
import { AnthropicConnection } from './connection.ts';

const ownBaseUrl = 'https://api.anthropic.com/v1';

/** Claude, by Anthropic's Messages API. */
export const anthropic: ProviderDeclaration = {
  id: 'anthropic',
  name: 'Anthropic',
  documentation: 'https://platform.claude.com/docs/en/api/messages',
  // Source: platform.claude.com/docs/en/about-claude/pricing, Prompt caching.
  catalogueSources: { mediaPrices: 'anthropic', batchDiscountsCache: true },
  baseUrl: ownBaseUrl,
  needsKey: true,
  options: [promptCachingOption],
  open(settings) {
    // A configured base URL leads to another server, which may not require a key.
    if (settings.apiKey === undefined && settings.baseUrl === undefined)
      throw new SettingsError('Provider `anthropic` needs an API key.');
    cachesPrompts('anthropic', settings);
    return new AnthropicConnection('anthropic', { ...settings, baseUrl: settings.baseUrl ?? ownBaseUrl });
  },
};
