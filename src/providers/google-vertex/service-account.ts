import { createPrivateKey } from 'node:crypto';
import { SluiceError } from '../../errors/index.ts';
import { SettingsError, type ConnectionSettings } from '../contract.ts';
import type { Fetch } from '../bridge/package/connection-fetch.ts';
import { nameOption, requiredOption } from '../bridge/package-declaration.ts';

/** @throws SettingsError naming what is missing */
export function checkAccount(provider: string, settings: ConnectionSettings): void {
  if (settings.apiKey !== undefined) return;
  requiredOption(provider, settings, 'client_email');
  if (!isPrivateKey(requiredOption(provider, settings, 'private_key')))
    throw new SettingsError(
      `Provider \`${provider}\`: the option \`private_key\` must be the key of the service account in PEM format.`,
    );
  nameOption(provider, settings, 'location');
  if (!/^[a-z0-9.:-]+$/.test(requiredOption(provider, settings, 'project')))
    throw new SettingsError(`Provider \`${provider}\`: the option \`project\` must be the ID of the project.`);
}

/** A base URL of the operator replaces the host and version: `https://aiplatform.googleapis.com/v1`. */
export function endpoint({ apiKey, baseUrl, options }: ConnectionSettings, publisher: string): string | undefined {
  if (baseUrl === undefined) return undefined;
  const parent = apiKey === undefined ? `/projects/${options.project}/locations/${options.location}` : '';
  return `${baseUrl.replace(/\/+$/, '')}${parent}/publishers/${publisher}`;
}

const EXPRESS_URL = 'https://aiplatform.googleapis.com/v1';

/** The URL of a publisher's models, of the version that has the newest members: `…/publishers/google`. */
export function publisherUrl(settings: ConnectionSettings, publisher: 'google' | 'anthropic'): string {
  const {
    apiKey,
    options: { location = '' },
  } = settings;
  const version = publisher === 'google' ? 'v1beta1' : 'v1';
  const baseUrl = apiKey === undefined ? `https://${hostOf(location)}/${version}` : EXPRESS_URL;
  return endpoint({ ...settings, baseUrl: settings.baseUrl ?? baseUrl }, publisher) ?? baseUrl;
}

/** Source: docs.cloud.google.com/vertex-ai/generative-ai/docs/learn/locations. */
function hostOf(location: string): string {
  if (location === 'global') return 'aiplatform.googleapis.com';
  if (location === 'eu' || location === 'us') return `aiplatform.${location}.rep.googleapis.com`;
  return `${location}-aiplatform.googleapis.com`;
}

/** Google's library requests the tokens, over this connection's sockets. */
export function serviceAccount(provider: string, { options }: ConnectionSettings, fetch: Fetch) {
  return {
    projectId: options.project ?? '',
    credentials: {
      type: 'service_account',
      client_email: options.client_email ?? '',
      private_key: pem(options.private_key ?? ''),
    },
    clientOptions: { transporterOptions: { fetchImplementation: tokenFetch(provider, fetch) } },
  };
}

/** A rejected token is reported as a credentials error. */
function tokenFetch(provider: string, fetch: Fetch): Fetch {
  return async (...request) => {
    const answer = await fetch(...request);
    if (answer.ok) return answer;
    throw new SluiceError('provider_credentials', { values: { provider }, detail: `token: ${answer.status}` });
  };
}

function isPrivateKey(text: string): boolean {
  try {
    return createPrivateKey(pem(text)).type === 'private';
  } catch {
    return false;
  }
}

/** Variables and one-line files contain the key's line breaks as `\n`. */
export function pem(text: string): string {
  return text.replaceAll('\\n', '\n');
}
