import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useChange } from '../../data/graphql/hooks.ts';
import { Button, buttonClass } from '../../design/button.tsx';
import { Input } from '../../design/field.tsx';
import { faultOf, Form, FormAlert, valueOf, type FormFault } from '../../design/form.tsx';
import { Skeleton } from '../../design/state.tsx';
import { ConfirmSignUpDocument } from '../../generated/graphql.ts';
import { AuthPage, authLinkClass, useEnterDashboard } from './auth-page.tsx';
import { useFragment } from './fragment.ts';

/** The target of the link in the sign-up mail. In the browser that signed up, opening it completes the sign-up. */
export function ConfirmSignUpPage(): ReactNode {
  const token = useFragment('token');
  const [confirm, pending] = useChange(ConfirmSignUpDocument);
  const [fault, setFault] = useState<FormFault | null>(null);
  // The field stays after a failed attempt.
  const [requiresPassword, setRequiresPassword] = useState(false);
  const enter = useEnterDashboard();
  // A link works once, and React may run an effect twice.
  const tried = useRef<string | null>(null);
  const attempt = async (of: string, password: string | null): Promise<void> => {
    tried.current = of;
    setFault(null);
    const { data, failure } = await confirm({ input: { token: of, ...(password !== null && { password }) } });
    if (failure) setFault(failure);
    else if (data.confirmSignUp.__typename === 'Session') enter('/');
    else if (data.confirmSignUp.code === 'sign_up_password_required') setRequiresPassword(true);
    else setFault(data.confirmSignUp);
  };
  useEffect(() => {
    if (token !== null && tried.current !== token) void attempt(token, null);
  });
  if (token === null || fault?.code === 'invalid_token')
    return (
      <AuthPage title="This link is not valid" lead="It has expired, was already used, or is incomplete.">
        <Link to="/sign-up" className={`${buttonClass('primary')} h-5!`}>
          Sign up again
        </Link>
        <SignInInstead />
      </AuthPage>
    );
  if (requiresPassword) {
    const wrong = faultOf(fault, 'invalid_credentials');
    return (
      <AuthPage
        title="Enter your password"
        lead="You signed up in another browser. Enter the password that you chose there."
      >
        <Form onSubmit={(form) => attempt(token, valueOf(form, 'password'))}>
          <FormAlert text={wrong ? null : (fault?.message ?? null)} />
          <Input
            label="Password"
            name="password"
            type="password"
            autoComplete="current-password"
            required
            fault={wrong ? 'This is not the password that you chose at sign-up.' : undefined}
          />
          <Button look="primary" type="submit" pending={pending} className="mt-1 h-5!">
            Finish signing up
          </Button>
        </Form>
        <p className="text-soft">Did not sign up? Close this page. No account is created.</p>
      </AuthPage>
    );
  }
  return (
    <AuthPage title="Signing you in" lead="This can take a moment.">
      {fault ? (
        <>
          <FormAlert text={fault.message} />
          <Button look="primary" pending={pending} onClick={() => void attempt(token, null)} className="h-5!">
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
