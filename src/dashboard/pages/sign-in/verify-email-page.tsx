import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { useMutation } from '../../data/graphql/hooks.ts';
import { buttonClass } from '../../design/button.tsx';
import { Failed, Skeleton } from '../../design/state.tsx';
import { VerifyEmailDocument, type VerifyEmailMutation } from '../../generated/graphql.ts';
import { useSession } from '../../shell/session.tsx';
import { AuthPage, authLinkClass } from './auth-page.tsx';
import { useFragment } from './fragment.ts';

/** The target of the link in the mail that confirms an address. For its signed-in user, opening it confirms the address. */
export function VerifyEmailPage(): ReactNode {
  const token = useFragment('token');
  const [verify] = useMutation(VerifyEmailDocument);
  const { refresh } = useSession();
  const [result, setResult] = useState<VerifyEmailMutation['verifyEmail'] | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  // A link works once, and React may run an effect twice.
  const attemptedToken = useRef<string | null>(null);
  const attempt = async (of: string): Promise<void> => {
    attemptedToken.current = of;
    setFailure(null);
    const verification = await verify({ token: of });
    if (verification.failure) setFailure(verification.failure);
    else setResult(verification.data.verifyEmail);
  };
  useEffect(() => {
    if (token !== null && attemptedToken.current !== token) void attempt(token);
  });
  if (result?.__typename === 'VerifiedEmail')
    return (
      <AuthPage title="Your address is confirmed" lead={`You sign in with ${result.email}.`}>
        <Link to="/" onClick={refresh} className={`${buttonClass('primary')} h-5!`}>
          Go to the dashboard
        </Link>
      </AuthPage>
    );
  if (result?.code === 'link_for_other')
    return (
      <AuthPage title="This link is for another user" lead={result.message}>
        <Link to="/" className={`${buttonClass('primary')} h-5!`}>
          Go to the dashboard
        </Link>
      </AuthPage>
    );
  if (token === null || result)
    return (
      <AuthPage
        title="This link is not valid"
        lead={result?.code === 'email_taken' ? result.message : 'It has expired, was already used, or is incomplete.'}
      >
        <p className="text-soft">If your address is not confirmed yet, request another link under Settings.</p>
        <Link to="/settings" className={`${buttonClass('primary')} h-5!`}>
          Go to the settings
        </Link>
      </AuthPage>
    );
  if (failure?.code === 'unauthenticated')
    return (
      <AuthPage title="Sign in to confirm your address" lead="Only the user that this link was sent to can use it.">
        <Link
          to="/sign-in"
          search={{ next: '/verify-email' }}
          hash={`token=${token}`}
          className={`${buttonClass('primary')} h-5!`}
        >
          Sign in
        </Link>
        <p className="text-soft">
          Did not sign up? Do nothing: the address is not confirmed without a sign-in. To take over the address,{' '}
          <Link to="/forgot-password" className={authLinkClass}>
            set a new password
          </Link>
          .
        </p>
      </AuthPage>
    );
  return (
    <AuthPage title="Confirming your address" lead="This can take a moment.">
      {failure ? <Failed failure={failure} onRetry={() => void attempt(token)} /> : <Skeleton className="h-5" />}
    </AuthPage>
  );
}
