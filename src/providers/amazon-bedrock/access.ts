import { SettingsError, type ConnectionSettings } from '../contract.ts';
import { nameOption } from '../bridge/package-declaration.ts';

/** Endings of AWS's hosts where they are not the usual one. Source: docs.aws.amazon.com, "Partitions". */
const hostEndings: readonly (readonly [region: RegExp, ending: string])[] = [
  [/^cn-/, 'amazonaws.com.cn'],
  [/^eusc-/, 'amazonaws.eu'],
];

/** @throws SettingsError naming what is missing */
export function checkAccess(provider: string, settings: ConnectionSettings): void {
  const signed = accessKey(provider, settings);
  if (settings.apiKey === undefined && signed === null && settings.baseUrl === undefined)
    throw new SettingsError(
      `Provider \`${provider}\` needs an API key, or the options \`access_key_id\` and \`secret_access_key\`.`,
    );
  if (signed !== null || settings.baseUrl === undefined) nameOption(provider, settings, 'region');
}

/** What the package is told of who calls, and where. */
export function access(provider: string, settings: ConnectionSettings) {
  const region = settings.options.region ?? '';
  // Empty, and not absent: the package would look into the environment. The server behind another base URL may ask for no
  // key: the package knows no such thing, and is given one.
  const key = settings.apiKey === undefined ? (accessKey(provider, settings) ?? { apiKey: 'none' }) : {};
  return { apiKey: settings.apiKey ?? '', region, ...key };
}

/** The URL of one of Bedrock's services. */
export function serviceUrl(service: string, { baseUrl, options: { region = '' } }: ConnectionSettings): string {
  if (baseUrl !== undefined) return baseUrl;
  const ending = hostEndings.find(([regions]) => regions.test(region))?.[1] ?? 'amazonaws.com';
  return `https://${service}.${region}.${ending}`;
}

/** Null where none are configured: AWS's own chain of places to look for them is not followed. @throws SettingsError */
function accessKey(provider: string, { options }: ConnectionSettings) {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken } = options;
  if (accessKeyId === undefined && secretAccessKey === undefined) return null;
  if (!accessKeyId || !secretAccessKey)
    throw new SettingsError(
      `Provider \`${provider}\` needs both options \`access_key_id\` and \`secret_access_key\`, or neither.`,
    );
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}
