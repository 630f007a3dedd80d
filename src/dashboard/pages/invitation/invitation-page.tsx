import { Link, useRouter } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useMutation, useQuery } from '../../data/graphql/hooks.ts';
import { Button, buttonClass } from '../../design/button.tsx';
import { FormAlert } from '../../design/form.tsx';
import { words } from '../../design/format.ts';
import { Failed, Skeleton } from '../../design/state.tsx';
import {
  AcceptInvitationDocument,
  InvitationOfferDocument,
  SignOutDocument,
  CurrentUserDocument,
  type InvitationOfferQuery,
} from '../../generated/graphql.ts';
import { useClearForeignAccount, useSession } from '../../shell/session.tsx';
import { AuthPage } from '../sign-in/auth-page.tsx';
import { INVITATION_PATH, useFragment } from '../sign-in/fragment.ts';
import { roleTexts } from '../team/role-texts.ts';

type Offer = NonNullable<InvitationOfferQuery['invitation']>;

/** The target of the link in an invitation. */
export function InvitationPage(): ReactNode {
  const token = useFragment('token');
  const offer = useQuery(InvitationOfferDocument, { token: token ?? '' }, { pause: token === null });
  const currentUser = useQuery(CurrentUserDocument, {});
  const { accountId } = useSession();
  const isNonMember = currentUser.failure?.code === 'not_found';
  useClearForeignAccount(isNonMember);
  const isSignedOut = currentUser.failure?.code === 'unauthenticated';
  const failed = offer.failure ? offer : currentUser.failure && !isSignedOut && !isNonMember ? currentUser : null;
  if (failed?.failure)
    return (
      <AuthPage title="Your invitation" lead="The invitation could not be loaded.">
        <Failed failure={failed.failure} onRetry={failed.refetch} />
      </AuthPage>
    );
  if (token !== null && (offer.data === null || currentUser.fetching || (isNonMember && accountId !== null)))
    return (
      <AuthPage title="Your invitation" lead="This can take a moment.">
        <Skeleton className="h-5" />
      </AuthPage>
    );
  const invitation = offer.data?.invitation;
  if (token === null || !invitation || invitation.expired)
    return (
      <AuthPage
        title="This invitation is not valid"
        lead={
          invitation?.expired
            ? `It expired after a week. Ask an administrator of ${invitation.accountName} for a new one.`
            : 'It was already used, revoked or replaced by a newer one, or its link is incomplete.'
        }
      >
        <Link to="/" className={`${buttonClass('primary')} h-5!`}>
          Go to the dashboard
        </Link>
      </AuthPage>
    );
  const email = currentUser.data?.viewer.user?.email;
  return (
    <AuthPage
      title={`Join ${invitation.accountName}`}
      lead={
        <>
          As {words(invitation.role).toLowerCase()}. {roleTexts[invitation.role]}
        </>
      }
    >
      {isSignedOut ? (
        <SignInChoices offer={invitation} token={token} />
      ) : email === undefined || email === invitation.email ? (
        // Without an account the user's address is unknown here. The server checks whether the invitation is for them.
        <Accept offer={invitation} token={token} />
      ) : (
        <OtherUser offer={invitation} email={email} />
      )}
    </AuthPage>
  );
}

function SignInChoices({ offer, token }: { readonly offer: Offer; readonly token: string }): ReactNode {
  const search = { next: INVITATION_PATH };
  const hash = `token=${token}`;
  return (
    <div className="flex flex-col gap-1">
      <p className="mb-1">
        The invitation is for <span className="font-strong wrap-anywhere">{offer.email}</span>.
      </p>
      <Link to="/sign-up" search={search} hash={hash} className={`${buttonClass('primary')} h-5!`}>
        Create account
      </Link>
      <Link to="/sign-in" search={search} hash={hash} className={`${buttonClass('plain')} h-5!`}>
        Sign in
      </Link>
    </div>
  );
}

function Accept({ offer, token }: { readonly offer: Offer; readonly token: string }): ReactNode {
  const [accept, pending] = useMutation(AcceptInvitationDocument);
  const [error, setError] = useState<string | null>(null);
  const [isForOtherUser, setForOtherUser] = useState(false);
  const { selectAccount } = useSession();
  const { history } = useRouter();
  const submit = async (): Promise<void> => {
    setError(null);
    const { data, failure } = await accept({ token });
    if (failure) setError(failure.message);
    else if (data.acceptInvitation.__typename === 'AcceptInvitationFailure') {
      setError(data.acceptInvitation.message);
      setForOtherUser(data.acceptInvitation.code === 'invitation_for_other');
    } else {
      selectAccount(data.acceptInvitation.accountId);
      history.push('/');
    }
  };
  return (
    <div className="flex flex-col gap-2">
      <FormAlert text={error} />
      {isForOtherUser ? (
        <SignOutAndContinue onError={setError} />
      ) : (
        <Button variant="primary" pending={pending} onClick={() => void submit()} className="h-5!">
          Join {offer.accountName}
        </Button>
      )}
      <Link to="/" className={`${buttonClass('quiet')} h-5!`}>
        Not now
      </Link>
    </div>
  );
}

function OtherUser({ offer, email }: { readonly offer: Offer; readonly email: string }): ReactNode {
  const [error, setError] = useState<string | null>(null);
  return (
    <div className="flex flex-col gap-2">
      <FormAlert text={error} />
      <p>
        You are signed in as <span className="font-strong wrap-anywhere">{email}</span>. The invitation is for{' '}
        <span className="font-strong wrap-anywhere">{offer.email}</span>.
      </p>
      <SignOutAndContinue onError={setError} />
    </div>
  );
}

function SignOutAndContinue({ onError }: { readonly onError: (message: string) => void }): ReactNode {
  const [signOut, pending] = useMutation(SignOutDocument);
  const { clear } = useSession();
  const submit = async (): Promise<void> => {
    const { failure } = await signOut({});
    if (failure) onError(failure.message);
    else clear();
  };
  return (
    <Button variant="primary" pending={pending} onClick={() => void submit()} className="h-5!">
      Sign out and continue
    </Button>
  );
}
