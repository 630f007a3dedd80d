import { SettingsError, type ConnectionSettings } from '../contract.ts';
import type { AccessKey } from './signature.ts';
import { nameOption } from '../bridge/package-declaration.ts';

/** Suffixes of AWS hosts in partitions other than the default. Source: docs.aws.amazon.com, "Partitions". */
const hostEndings: readonly (readonly [region: RegExp, ending: string])[] = [
  [/^cn-/, 'amazonaws.com.cn'],
  [/^eusc-/, 'amazonaws.eu'],
];

const messagesApis = ['invoke', 'runtime', 'mantle'] as const;

/** The API that Claude models receive requests of the Messages API by. */
export type MessagesApi = (typeof messagesApis)[number];

/** @throws SettingsError for another value of the option */
export function messagesApi(provider: string, { options: { messages_api: name } }: ConnectionSettings): MessagesApi {
  const api = messagesApis.find((each) => each === (name ?? 'invoke'));
  if (api !== undefined) return api;
  throw new SettingsError(
    `Provider \`${provider}\`: the option \`messages_api\` must be \`invoke\`, \`runtime\` or \`mantle\`, not \`${name}\`.`,
  );
}

/** @throws SettingsError naming what is missing */
export function checkAccess(provider: string, settings: ConnectionSettings): void {
  const signed = accessKey(provider, settings);
  if (settings.apiKey === undefined && signed === null && settings.baseUrl === undefined)
    throw new SettingsError(
      `Provider \`${provider}\` needs an API key, or the options \`access_key_id\` and \`secret_access_key\`.`,
    );
  if (signed !== null || settings.baseUrl === undefined) nameOption(provider, settings, 'region');
}

/** The credentials and the address that the package uses. */
export function access(provider: string, settings: ConnectionSettings) {
  const region = settings.options.region ?? '';
  // Empty rather than absent: the package would read the environment. A server behind another base URL may not require
  // a key, but the package does.
  const key = settings.apiKey === undefined ? (accessKey(provider, settings) ?? { apiKey: 'none' }) : {};
  return { apiKey: settings.apiKey ?? '', region, ...key };
}

/** The URL of one of Bedrock's services. */
export function serviceUrl(service: string, { baseUrl, options: { region = '' } }: ConnectionSettings): string {
  if (baseUrl !== undefined) return baseUrl;
  if (service === 'bedrock-mantle') return `https://${service}.${region}.api.aws`;
  const ending = hostEndings.find(([regions]) => regions.test(region))?.[1] ?? 'amazonaws.com';
  return `https://${service}.${region}.${ending}`;
}

/**
 * Null where none are configured: AWS's default credential chain is not used.
 * @throws SettingsError
 */
export function accessKey(provider: string, { options }: ConnectionSettings): AccessKey | null {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken } = options;
  if (accessKeyId === undefined && secretAccessKey === undefined) return null;
  if (!accessKeyId || !secretAccessKey)
    throw new SettingsError(
      `Provider \`${provider}\` needs both options \`access_key_id\` and \`secret_access_key\`, or neither.`,
    );
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}
