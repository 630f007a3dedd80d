import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { useChange } from '../../data/hooks.ts';
import { buttonClass } from '../../design/button.tsx';
import { Failed, Skeleton } from '../../design/state.tsx';
import { VerifyEmailDocument, type VerifyEmailMutation } from '../../generated/graphql.ts';
import { useSession } from '../../shell/session.tsx';
import { Door, doorLink } from './door.tsx';
import { useFragment } from './fragment.ts';

/** Where the link in the message about an address leads. Who is signed in as its user needs to do no more than to come here. */
export function VerifyEmailPage(): ReactNode {
  const token = useFragment('token');
  const [verify] = useChange(VerifyEmailDocument);
  const { renew } = useSession();
  const [result, setResult] = useState<VerifyEmailMutation['verifyEmail'] | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  // A link works once, and pages may be rendered twice.
  const tried = useRef<string | null>(null);
  const attempt = async (of: string): Promise<void> => {
    tried.current = of;
    setFailure(null);
    const answer = await verify({ token: of });
    if (answer.failure) setFailure(answer.failure);
    else setResult(answer.data.verifyEmail);
  };
  useEffect(() => {
    if (token !== null && tried.current !== token) void attempt(token);
  });
  if (result?.__typename === 'VerifiedEmail')
    return (
      <Door title="Your address is confirmed" lead={`${result.email} is what you sign in with.`}>
        <Link to="/" onClick={renew} className={`${buttonClass('primary')} h-5!`}>
          Go to the dashboard
        </Link>
      </Door>
    );
  if (result?.code === 'link_for_other')
    return (
      <Door title="This link is for another user" lead={result.message}>
        <Link to="/" className={`${buttonClass('primary')} h-5!`}>
          Go to the dashboard
        </Link>
      </Door>
    );
  if (token === null || result)
    return (
      <Door
        title="This link is not valid"
        lead={result?.code === 'email_taken' ? result.message : 'It has expired, was used already, or is incomplete.'}
      >
        <p className="text-soft">If your address is not confirmed yet, the Settings send you another link.</p>
        <Link to="/settings" className={`${buttonClass('primary')} h-5!`}>
          Go to the settings
        </Link>
      </Door>
    );
  if (failure?.code === 'unauthenticated')
    return (
      <Door title="Sign in to confirm your address" lead="Only the user whom this link was sent for can use it.">
        <Link
          to="/sign-in"
          search={{ next: '/verify-email' }}
          hash={`token=${token}`}
          className={`${buttonClass('primary')} h-5!`}
        >
          Sign in
        </Link>
        <p className="text-soft">
          You made no user here? Then do nothing: without a sign-in nothing is confirmed. To take the address over,{' '}
          <Link to="/forgot-password" className={doorLink}>
            set a new password
          </Link>
          .
        </p>
      </Door>
    );
  return (
    <Door title="Confirming your address" lead="This takes a moment.">
      {failure ? <Failed failure={failure} again={() => void attempt(token)} /> : <Skeleton className="h-5" />}
    </Door>
  );
}
