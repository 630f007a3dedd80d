import { SluiceError } from '../../errors/index.ts';
import type { SignedIn } from '../../services/accounts/accounts.service.ts';
import type { GraphqlContext } from '../context.ts';
import { Session } from './sign-in.types.ts';

/** Signs in, and sets the session's cookie. */
export async function openSession(context: GraphqlContext, signIn: () => Promise<SignedIn>): Promise<Session> {
  if (context.setSession === null)
    throw new SluiceError('bad_user_input', {
      values: { reason: 'Sign in over HTTP at an address of this server’s own: nothing else sets the cookie.' },
    });
  const { token, expiresAt, device } = await signIn();
  context.setSession(token, expiresAt, device);
  return Object.assign(new Session(), { expiresAt });
}
