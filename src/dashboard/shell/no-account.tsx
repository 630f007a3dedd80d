import type { ReactNode } from 'react';
import { useRead } from '../data/hooks.ts';
import { Button } from '../design/button.tsx';
import { CreateAccountForm } from '../pages/settings/create-account-form.tsx';
import { AuthPage } from '../pages/sign-in/auth-page.tsx';
import { SignInOptionsDocument } from '../generated/graphql.ts';
import { useSignOut } from './account-menu.tsx';

/** For who is signed in, and belongs to no account: they left their last one, or were removed from it. */
export function NoAccount(): ReactNode {
  const { data } = useRead(SignInOptionsDocument, {});
  const signOut = useSignOut();
  const way = <Button onClick={() => void signOut()}>Sign out</Button>;
  const mayMake = data?.signInOptions.signUp === 'OPEN';
  return (
    <AuthPage
      title="You belong to no account"
      lead={`To join one that invites you, open the link in the message that you got.${mayMake ? ' Or make one of your own.' : ''}`}
    >
      {mayMake ? <CreateAccountForm>{way}</CreateAccountForm> : <div>{way}</div>}
    </AuthPage>
  );
}
