import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button, buttonClass } from '../../design/button.tsx';
import { CodeField } from '../../design/code-field.tsx';
import { Input } from '../../design/field.tsx';
import { errorMessageOf, Form, FormAlert, valueOf, type FormError } from '../../design/form.tsx';
import { ResetPasswordDocument } from '../../generated/graphql.ts';
import { AuthPage, useEnterDashboard } from './auth-page.tsx';
import { useFragment } from './fragment.ts';

/** The target of the link in the mail that resets a password. */
export function ResetPasswordPage(): ReactNode {
  const token = useFragment('token');
  const [reset, pending] = useMutation(ResetPasswordDocument);
  const [error, setError] = useState<FormError | null>(null);
  // The field stays after a failed attempt.
  const [requiresCode, setRequiresCode] = useState(false);
  const enter = useEnterDashboard();
  const submit = async (form: FormData): Promise<void> => {
    setError(null);
    const totp = valueOf(form, 'code').trim();
    const { data, failure } = await reset({
      input: { token: token ?? '', password: valueOf(form, 'password'), ...(totp && { totp }) },
    });
    if (failure) setError(failure);
    else if (data.resetPassword.__typename === 'Session') enter('/');
    else {
      setError(data.resetPassword);
      if (data.resetPassword.code === 'totp_required') setRequiresCode(true);
    }
  };
  if (token === null || error?.code === 'invalid_token')
    return (
      <AuthPage title="This link is not valid" lead="It has expired, was already used, or is incomplete.">
        <Link to="/forgot-password" className={`${buttonClass('primary')} h-5!`}>
          Request a new link
        </Link>
      </AuthPage>
    );
  const weak = errorMessageOf(error, 'weak_password');
  const code = errorMessageOf(error, 'invalid_totp', 'totp_required');
  return (
    <AuthPage title="Set a new password" lead="You will be signed in here and signed out everywhere else.">
      <Form onSubmit={submit}>
        <FormAlert text={weak || code ? null : (error?.message ?? null)} />
        <Input
          label="New password"
          name="password"
          type="password"
          autoComplete="new-password"
          required
          minLength={8}
          hint="At least 8 characters. A few unrelated words are strong and easy to remember."
          error={weak}
        />
        {requiresCode ? <CodeField error={code} /> : null}
        <Button variant="primary" type="submit" pending={pending} className="mt-1 h-5!">
          Set password
        </Button>
      </Form>
    </AuthPage>
  );
}
