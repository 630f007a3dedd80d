import { SluiceError } from '../../errors/index.ts';
import type { SignedIn } from '../../services/identity/signed-in.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { Session } from './sign-in.types.ts';

/** Signs in and sets the session cookie. */
export async function openSession(context: GraphqlContext, signIn: () => Promise<SignedIn>): Promise<Session> {
  requireCookies(context);
  return setSession(context, await signIn());
}

/** @throws SluiceError bad_user_input where the transport sets no cookie */
export function requireCookies({ setSession }: GraphqlContext): void {
  if (setSession === null)
    throw new SluiceError('bad_user_input', {
      values: { reason: 'Sign in over HTTP at an address of this server’s own: nothing else sets the cookie.' },
    });
}

export function setSession(context: GraphqlContext, { token, expiresAt, device }: SignedIn): Session {
  context.setSession?.(token, expiresAt, device);
  return Object.assign(new Session(), { expiresAt });
}
