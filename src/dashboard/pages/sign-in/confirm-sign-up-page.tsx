import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button, buttonClass } from '../../design/button.tsx';
import { Input } from '../../design/field.tsx';
import { errorMessageOf, Form, FormAlert, valueOf, type FormError } from '../../design/form.tsx';
import { Skeleton } from '../../design/state.tsx';
import { ConfirmSignUpDocument } from '../../generated/graphql.ts';
import { AuthPage, authLinkClass, useEnterDashboard } from './auth-page.tsx';
import { useFragment } from './fragment.ts';

/** The target of the link in the sign-up mail. In the browser that signed up, opening it completes the sign-up. */
export function ConfirmSignUpPage(): ReactNode {
  const token = useFragment('token');
  const [confirm, pending] = useMutation(ConfirmSignUpDocument);
  const [error, setError] = useState<FormError | null>(null);
  // The field stays after a failed attempt.
  const [requiresPassword, setRequiresPassword] = useState(false);
  const enter = useEnterDashboard();
  // A link works once, and React may run an effect twice.
  const attemptedToken = useRef<string | null>(null);
  const attempt = async (of: string, password: string | null): Promise<void> => {
    attemptedToken.current = of;
    setError(null);
    const { data, failure } = await confirm({ input: { token: of, ...(password !== null && { password }) } });
    if (failure) setError(failure);
    else if (data.confirmSignUp.__typename === 'Session') enter('/');
    else if (data.confirmSignUp.code === 'sign_up_password_required') setRequiresPassword(true);
    else setError(data.confirmSignUp);
  };
  useEffect(() => {
    if (token !== null && attemptedToken.current !== token) void attempt(token, null);
  });
  if (token === null || error?.code === 'invalid_token')
    return (
      <AuthPage title="This link is not valid" lead="It has expired, was already used, or is incomplete.">
        <Link to="/sign-up" className={`${buttonClass('primary')} h-5!`}>
          Sign up again
        </Link>
        <SignInInstead />
      </AuthPage>
    );
  if (requiresPassword) {
    const passwordError = errorMessageOf(error, 'invalid_credentials');
    return (
      <AuthPage
        title="Enter your password"
        lead="You signed up in another browser. Enter the password that you chose there."
      >
        <Form onSubmit={(form) => attempt(token, valueOf(form, 'password'))}>
          <FormAlert text={passwordError ? null : (error?.message ?? null)} />
          <Input
            label="Password"
            name="password"
            type="password"
            autoComplete="current-password"
            required
            error={passwordError ? 'This is not the password that you chose at sign-up.' : undefined}
          />
          <Button variant="primary" type="submit" pending={pending} className="mt-1 h-5!">
            Finish signing up
          </Button>
        </Form>
        <p className="text-soft">Did not sign up? Close this page. No account is created.</p>
      </AuthPage>
    );
  }
  return (
    <AuthPage title="Signing you in" lead="This can take a moment.">
      {error ? (
        <>
          <FormAlert text={error.message} />
          <Button variant="primary" pending={pending} onClick={() => void attempt(token, null)} className="h-5!">
            Try again
          </Button>
          <SignInInstead />
        </>
      ) : (
        <Skeleton className="h-5" />
      )}
    </AuthPage>
  );
}

function SignInInstead(): ReactNode {
  return (
    <p className="text-soft">
      Already have an account?{' '}
      <Link to="/sign-in" className={authLinkClass}>
        Sign in
      </Link>
    </p>
  );
}
