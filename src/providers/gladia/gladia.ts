import { SettingsError, type ProviderDeclaration } from '../contract.ts';
import { HttpServicesConnection } from '../shared/http/http-services.ts';
import { HttpUpstream } from '../shared/http/http-upstream.ts';
import { readServiceError } from '../shared/http/service-error.ts';
import { gladiaTranscription } from './transcription.ts';

const baseUrl = 'https://api.gladia.io';

export const gladia: ProviderDeclaration = {
  id: 'gladia',
  name: 'Gladia',
  documentation: 'https://docs.gladia.io/api-reference/v2/pre-recorded/init',
  baseUrl,
  needsKey: true,
  open(settings) {
    const { apiKey, connectTimeoutMs, dial } = settings;
    // A configured base URL leads to another server, which may not require a key.
    if (apiKey === undefined && settings.baseUrl === undefined)
      throw new SettingsError('Provider `gladia` needs an API key.');
    const upstream = new HttpUpstream({
      provider: 'gladia',
      baseUrl: settings.baseUrl ?? baseUrl,
      headers: apiKey === undefined ? [] : ['x-gladia-key', apiKey],
      connectTimeoutMs,
      dial,
      readError: readServiceError,
    });
    return new HttpServicesConnection('gladia', settings, upstream, { transcription: gladiaTranscription(upstream) });
  },
};
