import { SettingsError, type ProviderDeclaration } from '../contract.ts';
import { cartesiaSpeech } from './speech.ts';
import { cartesiaTranscription } from './transcription.ts';
import { HttpServicesConnection } from '../shared/http/http-services.ts';
import { HttpUpstream } from '../shared/http/http-upstream.ts';
import { readServiceError } from '../shared/http/service-error.ts';

const baseUrl = 'https://api.cartesia.ai';
/** The version of its API that this implementation follows. */
const VERSION = '2025-04-16';

export const cartesia: ProviderDeclaration = {
  id: 'cartesia',
  name: 'Cartesia',
  documentation: 'https://docs.cartesia.ai/api-reference/tts/bytes',
  baseUrl,
  needsKey: true,
  open(settings) {
    const { apiKey, connectTimeoutMs, dial } = settings;
    // A configured base URL leads to another server, which may not require a key.
    if (apiKey === undefined && settings.baseUrl === undefined)
      throw new SettingsError('Provider `cartesia` needs an API key.');
    const authorization = apiKey === undefined ? [] : ['authorization', `Bearer ${apiKey}`];
    const upstream = new HttpUpstream({
      provider: 'cartesia',
      baseUrl: settings.baseUrl ?? baseUrl,
      headers: [...authorization, 'cartesia-version', VERSION],
      connectTimeoutMs,
      dial,
      readError: readServiceError,
    });
    const services = { speech: cartesiaSpeech(upstream), transcription: cartesiaTranscription(upstream) };
    return new HttpServicesConnection('cartesia', settings, upstream, services);
  },
};
