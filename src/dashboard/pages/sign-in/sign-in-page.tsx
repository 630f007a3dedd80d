import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useMutation, useQuery } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { CodeField } from '../../design/code-field.tsx';
import { Input } from '../../design/field.tsx';
import { Form, FormAlert, valueOf, type FormError } from '../../design/form.tsx';
import { FinishSignInDocument, SignInDocument, SignInOptionsDocument } from '../../generated/graphql.ts';
import { AuthPage, authLinkClass, useEnterDashboard } from './auth-page.tsx';
import { useReturnPath } from './fragment.ts';
import { signInErrorMessage } from './error-messages.ts';
import { ProviderButtons } from './provider-buttons.tsx';

interface Credentials {
  readonly email: string;
  readonly password: string;
}

export function SignInPage(): ReactNode {
  const { totp } = useSearch({ from: '/sign-in' });
  // Held in memory until the code is entered.
  const [credentials, setCredentials] = useState<Credentials | null>(null);
  if (totp) return <PendingCodeStep />;
  return credentials ? (
    <CodeStep credentials={credentials} onBack={() => setCredentials(null)} />
  ) : (
    <PasswordStep onCodeRequired={setCredentials} />
  );
}

function PasswordStep({ onCodeRequired }: { readonly onCodeRequired: (credentials: Credentials) => void }): ReactNode {
  const { next, error } = useSearch({ from: '/sign-in' });
  const returnPath = useReturnPath(next);
  const { data: options } = useQuery(SignInOptionsDocument, {});
  const [signIn, pending] = useMutation(SignInDocument);
  const [formError, setFormError] = useState(signInErrorMessage(error));
  const enter = useEnterDashboard();
  const submit = async (form: FormData): Promise<void> => {
    setFormError(null);
    const input = { email: valueOf(form, 'email'), password: valueOf(form, 'password') };
    const { data, failure } = await signIn({ input });
    if (failure) setFormError(failure.message);
    else if (data.signIn.__typename === 'Session') enter(returnPath);
    else if (data.signIn.code === 'totp_required') onCodeRequired(input);
    else setFormError(data.signIn.message);
  };
  return (
    <AuthPage title="Sign in" lead="One gateway for every AI model.">
      <FormAlert text={formError} />
      <Form onSubmit={submit}>
        <Input label="E-mail" name="email" type="email" autoComplete="username" required />
        <Input label="Password" name="password" type="password" autoComplete="current-password" required />
        <Button variant="primary" type="submit" pending={pending} className="mt-1 h-5!">
          Sign in
        </Button>
      </Form>
      <div className="flex flex-col gap-1 text-soft">
        <p>
          <Link to="/forgot-password" className={authLinkClass}>
            Forgot your password?
          </Link>
        </p>
        {options?.signInOptions.signUp === 'OFF' ? null : (
          <p>
            New here?{' '}
            <Link to="/sign-up" search={{ next }} hash className={authLinkClass}>
              Create account
            </Link>
          </p>
        )}
      </div>
      <ProviderButtons providers={options?.signInOptions.providers ?? []} returnPath={returnPath} />
    </AuthPage>
  );
}

/** The second step after a password. */
function CodeStep({
  credentials,
  onBack,
}: {
  readonly credentials: Credentials;
  readonly onBack: () => void;
}): ReactNode {
  const { next } = useSearch({ from: '/sign-in' });
  const returnPath = useReturnPath(next);
  const [signIn, pending] = useMutation(SignInDocument);
  const [formError, setFormError] = useState<string | null>(null);
  const enter = useEnterDashboard();
  const submit = async (code: string): Promise<void> => {
    setFormError(null);
    const { data, failure } = await signIn({ input: { ...credentials, totp: code } });
    if (failure) setFormError(failure.message);
    else if (data.signIn.__typename === 'Session') enter(returnPath);
    else setFormError(data.signIn.message);
  };
  return (
    <CodePage error={formError} pending={pending} onCode={submit}>
      <button type="button" onClick={onBack} className={`rounded-small ${authLinkClass}`}>
        Sign in as another user
      </button>
    </CodePage>
  );
}

/** The second step after an identity provider, whose result is stored in a cookie. */
function PendingCodeStep(): ReactNode {
  const { next } = useSearch({ from: '/sign-in' });
  const returnPath = useReturnPath(next);
  const navigate = useNavigate();
  const [finish, pending] = useMutation(FinishSignInDocument);
  const [formError, setFormError] = useState<FormError | null>(null);
  const enter = useEnterDashboard();
  const submit = async (code: string): Promise<void> => {
    setFormError(null);
    const { data, failure } = await finish({ input: { totp: code } });
    if (failure) setFormError(failure);
    else if (data.finishSignIn.__typename === 'Session') enter(returnPath);
    else if (data.finishSignIn.code === 'sign_in_expired')
      await navigate({ to: '/sign-in', search: { next, error: 'sign_in_expired' }, hash: true, replace: true });
    else setFormError(data.finishSignIn);
  };
  return (
    <CodePage error={formError?.message ?? null} pending={pending} onCode={submit}>
      <Link to="/sign-in" search={{ next }} hash className={authLinkClass}>
        Start over
      </Link>
    </CodePage>
  );
}

function CodePage({
  error,
  pending,
  onCode,
  children,
}: {
  readonly error: string | null;
  readonly pending: boolean;
  readonly onCode: (code: string) => Promise<void>;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <AuthPage title="Two-factor authentication" lead="Enter a code to finish signing in.">
      <Form onSubmit={(form) => onCode(valueOf(form, 'code').trim())}>
        <CodeField error={error} autoFocus />
        <Button variant="primary" type="submit" pending={pending} className="mt-1 h-5!">
          Continue
        </Button>
      </Form>
      <p className="text-soft">{children}</p>
    </AuthPage>
  );
}
