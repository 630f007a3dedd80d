import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { Input } from '../../design/field.tsx';
import { Form, FormAlert, valueOf } from '../../design/form.tsx';
import { RequestPasswordResetDocument } from '../../generated/graphql.ts';
import { AuthPage, authLinkClass } from './auth-page.tsx';

export function ForgotPasswordPage(): ReactNode {
  const [request, pending] = useMutation(RequestPasswordResetDocument);
  const [error, setError] = useState<string | null>(null);
  const [sentTo, setSentTo] = useState<string | null>(null);
  const submit = async (form: FormData): Promise<void> => {
    setError(null);
    const email = valueOf(form, 'email').trim();
    const { failure } = await request({ email });
    if (failure) setError(failure.message);
    else setSentTo(email);
  };
  const back = (
    <p className="text-soft">
      <Link to="/sign-in" className={authLinkClass}>
        Back to sign-in
      </Link>
    </p>
  );
  // The same for every address, so that it does not reveal which addresses have a user.
  if (sentTo !== null)
    return (
      <AuthPage title="Check your mail" lead={`If ${sentTo} belongs to a user, a link was sent to it.`}>
        <p className="text-soft">
          The link works once and expires after 30 minutes. If no mail arrives, check the spam folder and the address.
        </p>
        {back}
      </AuthPage>
    );
  return (
    <AuthPage title="Forgot your password?" lead="We mail you a link to set a new one.">
      <Form onSubmit={submit}>
        <FormAlert text={error} />
        <Input label="E-mail" name="email" type="email" autoComplete="username" required />
        <Button variant="primary" type="submit" pending={pending} className="mt-1 h-5!">
          Send link
        </Button>
      </Form>
      {back}
    </AuthPage>
  );
}
