import type { IdentityProviderSettings } from './identity-provider.ts';

/** An entry of the configuration. */
export interface IdentityProviderEntry {
  readonly preset: 'google' | 'github' | 'microsoft' | null;
  readonly issuer?: string | undefined;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly name?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly tenant?: string | undefined;
  readonly trustsEmail?: boolean | undefined;
  readonly allowsHttp?: boolean | undefined;
}

const openidScopes = ['openid', 'profile', 'email'];

/** Completes an entry with the values of its preset. */
export function toSettings(id: string, entry: IdentityProviderEntry): IdentityProviderSettings {
  const known = presetOf(entry);
  const issuer = entry.issuer ?? known.issuer;
  return {
    id,
    kind: known.kind,
    issuer,
    name: entry.name ?? known.name ?? new URL(issuer).hostname,
    clientId: entry.clientId,
    clientSecret: entry.clientSecret ?? null,
    scopes: entry.scopes ?? known.scopes,
    trustsEmail: entry.trustsEmail ?? false,
    allowsHttp: entry.allowsHttp ?? false,
  };
}

interface Preset extends Pick<IdentityProviderSettings, 'kind' | 'issuer' | 'scopes'> {
  readonly name: string | null;
}

function presetOf({ preset, tenant = 'common' }: IdentityProviderEntry): Preset {
  switch (preset) {
    case 'google':
      // https://developers.google.com/identity/openid-connect/openid-connect
      return { kind: 'openid', issuer: 'https://accounts.google.com', name: 'Google', scopes: openidScopes };
    case 'microsoft':
      // https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc
      return {
        kind: 'openid',
        issuer: `https://login.microsoftonline.com/${tenant}/v2.0`,
        name: 'Microsoft',
        scopes: openidScopes,
      };
    case 'github':
      // https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
      return { kind: 'github', issuer: 'https://github.com', name: 'GitHub', scopes: ['read:user', 'user:email'] };
    case null:
      return { kind: 'openid', issuer: '', name: null, scopes: openidScopes };
  }
}
