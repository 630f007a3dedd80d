import { SettingsError, type ConnectionSettings, type ProviderOption } from '../../contract.ts';

/** The option of a connection to a provider that caches only what a request marks. */
export const promptCachingOption: ProviderOption = {
  name: 'prompt_caching',
  isSecret: false,
  description:
    '`auto` marks the prompts of requests in other protocols that mark none themselves, for models that cache only what is marked.',
};

/** Whether a connection marks prompts that no client marks. @throws SettingsError for another value of the option */
export function cachesPrompts(provider: string, { options }: Pick<ConnectionSettings, 'options'>): boolean {
  const { prompt_caching: caching = 'off' } = options;
  if (caching !== 'auto' && caching !== 'off')
    throw new SettingsError(`Provider \`${provider}\`: \`prompt_caching\` must be \`auto\` or \`off\`.`);
  return caching === 'auto';
}
