import type { ProviderConnection } from '../../database/entities/index.ts';
import {
  badInput,
  hintOf,
  noCredentials,
  readCredentials,
  toRecord,
  type ConnectionChange,
  type Credentials,
} from './connection-input.ts';
import { UnsealError, type CredentialVault } from './credential-vault.ts';

/** @throws SluiceError bad_user_input if credentials to be retained cannot be decrypted */
export function changedCredentials(
  vault: CredentialVault,
  accountId: string,
  row: ProviderConnection,
  change: ConnectionChange,
): Credentials {
  const { apiKey, secretOptions } = change;
  const given = secretOptions === undefined ? undefined : toRecord(secretOptions ?? []);
  if (apiKey !== undefined && given !== undefined) return { apiKey, options: given };
  try {
    const old = openCredentials(vault, accountId, row);
    return { apiKey: apiKey === undefined ? old.apiKey : apiKey, options: given ?? old.options };
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error;
    throw badInput(
      apiKey === undefined ? 'apiKey' : 'secretOptions',
      'must be entered again: the stored value cannot be decrypted',
    );
  }
}

/** @throws UnsealError */
export function openCredentials(vault: CredentialVault, accountId: string, row: ProviderConnection): Credentials {
  if (row.sealedCredentials === null) return noCredentials;
  return readCredentials(vault.open(row.sealedCredentials, { accountId, rowId: row.id }));
}

/** The columns of a connection with these credentials. */
export function sealCredentials(vault: CredentialVault, credentials: Credentials, accountId: string, rowId: string) {
  const secretOptionNames = Object.keys(credentials.options);
  const empty = credentials.apiKey === null && secretOptionNames.length === 0;
  return {
    sealedCredentials: empty ? null : vault.seal(JSON.stringify(credentials), { accountId, rowId }),
    credentialHint: hintOf(credentials.apiKey),
    secretOptionNames,
  };
}

/** Includes options, because some are part of the host name. */
export function changesDestination(
  row: ProviderConnection,
  baseUrl: string | null | undefined,
  options: Readonly<Record<string, string>> | undefined,
): boolean {
  if (baseUrl !== undefined && baseUrl !== row.baseUrl) return true;
  if (options === undefined) return false;
  const names = new Set([...Object.keys(options), ...Object.keys(row.options)]);
  return [...names].some((name) => options[name] !== row.options[name]);
}

/** @throws SluiceError bad_user_input */
export function requireAgain(row: ProviderConnection, change: ConnectionChange): void {
  if (row.credentialHint !== null && change.apiKey === undefined)
    throw badInput('apiKey', 'must be entered again because the destination of the connection changes');
  if (row.secretOptionNames.length > 0 && change.secretOptions === undefined)
    throw badInput('secretOptions', 'must be entered again because the destination of the connection changes');
}
