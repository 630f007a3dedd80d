import { Stripe } from 'stripe';
import { redactSecrets, SluiceError } from '../../../errors/index.ts';

export interface StripeAccess {
  readonly secretKey: string;
  /** Stripe's host where absent; set in tests only. */
  readonly apiBase?: string | undefined;
}

const MAX_DURATION_MS = 20_000;
const RETRIES = 2;
/** In characters. */
const MAX_REASON_LENGTH = 500;

export function stripeClient({ secretKey, apiBase }: StripeAccess): Stripe {
  return new Stripe(secretKey, {
    maxNetworkRetries: RETRIES,
    timeout: MAX_DURATION_MS,
    telemetry: false,
    ...(apiBase !== undefined && hostOf(apiBase)),
  });
}

/** @throws SluiceError payment_provider_failed, with Stripe's error as its cause */
export async function callStripe<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw stripeFailure(error instanceof Stripe.errors.StripeError ? error.type : 'it could not be asked', error);
  }
}

/** Stripe's message for a request that it rejected; null for any other failure. @param error of `callStripe` */
export function refusalOf(error: unknown): string | null {
  const cause = error instanceof SluiceError ? error.cause : null;
  const isRefusal =
    cause instanceof Stripe.errors.StripeInvalidRequestError || cause instanceof Stripe.errors.StripeCardError;
  return isRefusal
    ? redactSecrets(cause.message.slice(0, MAX_REASON_LENGTH * 4), []).slice(0, MAX_REASON_LENGTH)
    : null;
}

export function stripeFailure(reason: string, cause?: unknown): SluiceError {
  return new SluiceError('payment_provider_failed', { detail: reason, cause });
}

function hostOf(base: string): { host: string; port: string; protocol: 'http' | 'https' } {
  const { hostname, port, protocol } = new URL(base);
  return protocol === 'http:'
    ? { host: hostname, port: port || '80', protocol: 'http' }
    : { host: hostname, port: port || '443', protocol: 'https' };
}
