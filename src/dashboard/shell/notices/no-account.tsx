import type { ReactNode } from 'react';
import { useQuery } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { CreateAccountForm } from '../../pages/settings/create-account-form.tsx';
import { AuthPage } from '../../pages/sign-in/auth-page.tsx';
import { SignInOptionsDocument } from '../../generated/graphql.ts';
import { useSignOut } from '../account-menu.tsx';

/** For signed-in users without an account: they left their last one or were removed from it. */
export function NoAccount(): ReactNode {
  const { data } = useQuery(SignInOptionsDocument, {});
  const signOut = useSignOut();
  const signOutButton = <Button onClick={() => void signOut()}>Sign out</Button>;
  const canCreate = data?.signInOptions.signUp === 'OPEN';
  return (
    <AuthPage
      title="You are not a member of an account"
      lead={`To join an account, open the link in your invitation.${canCreate ? ' Or create your own.' : ''}`}
    >
      {canCreate ? <CreateAccountForm>{signOutButton}</CreateAccountForm> : <div>{signOutButton}</div>}
    </AuthPage>
  );
}
