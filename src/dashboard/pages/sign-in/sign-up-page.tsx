import { Link, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useMutation, useQuery } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { Input } from '../../design/field.tsx';
import { errorMessageOf, Form, FormAlert, valueOf, type FormError } from '../../design/form.tsx';
import { words } from '../../design/format.ts';
import { InvitationOfferDocument, SignInOptionsDocument, SignUpDocument } from '../../generated/graphql.ts';
import { AuthPage, authLinkClass, useEnterDashboard } from './auth-page.tsx';
import { INVITATION_PATH, useFragment, useReturnPath } from './fragment.ts';
import { signInErrorMessage } from './error-messages.ts';
import { ProviderButtons } from './provider-buttons.tsx';

export function SignUpPage(): ReactNode {
  const { next, error } = useSearch({ from: '/sign-up' });
  const { data: options } = useQuery(SignInOptionsDocument, {});
  const returnPath = useReturnPath(next);
  const token = useFragment('token');
  const invitation = next === INVITATION_PATH ? token : null;
  const { data: invited } = useQuery(
    InvitationOfferDocument,
    { token: invitation ?? '' },
    { pause: invitation === null },
  );
  const offer = invited?.invitation;
  const policy = options?.signInOptions.signUp;
  const [signUp, pending] = useMutation(SignUpDocument);
  const [formError, setFormError] = useState<FormError | null>(null);
  const [sentTo, setSentTo] = useState<string | null>(null);
  const enter = useEnterDashboard();
  const submit = async (form: FormData): Promise<void> => {
    setFormError(null);
    const input = {
      name: valueOf(form, 'name'),
      email: valueOf(form, 'email'),
      password: valueOf(form, 'password'),
      ...(invitation !== null && { invitation }),
    };
    const { data, failure } = await signUp({ input });
    if (failure) setFormError(failure);
    else if (data.signUp.__typename === 'SignUpFailure') setFormError(data.signUp);
    else if (data.signUp.__typename === 'SignUpPending') setSentTo(data.signUp.email);
    else enter(invitation === null ? returnPath : undefined);
  };
  if (sentTo !== null) return <CheckMail to={sentTo} onBack={() => setSentTo(null)} />;
  const email = errorMessageOf(formError, 'email_taken', 'invalid_email');
  const password = errorMessageOf(formError, 'weak_password');
  return (
    <AuthPage
      title={offer ? `Join ${offer.accountName}` : 'Create account'}
      lead={
        offer ? `Your role will be ${words(offer.role).toLowerCase()}.` : 'API keys, usage and models in one place.'
      }
    >
      <FormAlert text={email || password ? null : (formError?.message ?? signInErrorMessage(error))} />
      {invitation === null && policy && policy !== 'OPEN' ? (
        <p className="rounded-medium bg-warn-wash px-1.5 py-1 text-warn">
          {policy === 'INVITE'
            ? 'Sign-up is by invitation. Open the link in the invitation that you received.'
            : 'Sign-up is off. Ask the operator of this server.'}
        </p>
      ) : null}
      <Form onSubmit={submit}>
        <Input label="Name" name="name" autoComplete="name" required maxLength={100} />
        <Input
          // Resets the field when the invitation's address is loaded.
          key={offer?.email}
          label="E-mail"
          name="email"
          type="email"
          autoComplete="username"
          required
          readOnly={Boolean(offer)}
          defaultValue={offer?.email}
          hint={offer ? 'The invitation was sent to this address.' : undefined}
          error={email}
        />
        <Input
          label="Password"
          name="password"
          type="password"
          autoComplete="new-password"
          required
          minLength={8}
          hint="At least 8 characters. A few unrelated words are strong and easy to remember."
          error={password}
        />
        <Button variant="primary" type="submit" pending={pending} className="mt-1 h-5!">
          {offer ? `Join ${offer.accountName}` : 'Create account'}
        </Button>
      </Form>
      <p className="text-soft">
        Already have an account?{' '}
        <Link to="/sign-in" search={{ next }} hash className={authLinkClass}>
          Sign in
        </Link>
      </p>
      <ProviderButtons providers={options?.signInOptions.providers ?? []} returnPath={returnPath} />
    </AuthPage>
  );
}

/** The same for every address, so that it does not reveal which addresses have a user. */
function CheckMail({ to, onBack }: { readonly to: string; readonly onBack: () => void }): ReactNode {
  return (
    <AuthPage title="Check your mail" lead={`A mail was sent to ${to}.`}>
      <p className="text-soft">
        Open its link in this browser to sign in. The link works once and expires after 24 hours. If no mail arrives,
        check the spam folder and the address.
      </p>
      <p className="text-soft">
        <button type="button" onClick={onBack} className={`rounded-small ${authLinkClass}`}>
          Use another address
        </button>
      </p>
    </AuthPage>
  );
}
