import { AuthorizationResponseError } from 'openid-client';
import { z } from 'zod';
import { SluiceError } from '../../../errors/index.ts';
import type { IdentityProviderSettings } from './identity-provider.ts';

/**
 * Error codes by which the provider reports that the user or the provider declined. Source: RFC 6749, 4.1.2.1, and OpenID
 * Connect Core, 3.1.2.6.
 */
const refusals = new Set(['access_denied', 'login_required', 'consent_required', 'interaction_required']);

/** Maps a provider's errors to the catalogue. The provider's own text is only logged. */
export async function mapProviderErrors<T>({ name }: IdentityProviderSettings, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SluiceError && error.code !== 'outbound_refused') throw error;
    if (error instanceof AuthorizationResponseError && refusals.has(error.error))
      throw new SluiceError('identity_provider_denied', { values: { provider: name } });
    throw new SluiceError('identity_provider_failed', { values: { provider: name }, cause: error });
  }
}

/** A normalized address; null if it is not valid. */
export function emailOf(claim: unknown): string | null {
  const parsed = z
    .email()
    .max(254)
    .safeParse(typeof claim === 'string' ? claim.trim().toLowerCase() : null);
  return parsed.success ? parsed.data : null;
}

/** The first usable name, at most 100 characters; null if there is none. */
export function nameOf(...claims: readonly unknown[]): string | null {
  for (const claim of claims) {
    const name = typeof claim === 'string' ? claim.replaceAll('\0', '').trim().slice(0, 100) : '';
    if (name !== '') return name;
  }
  return null;
}
