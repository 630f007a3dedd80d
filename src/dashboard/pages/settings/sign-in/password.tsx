import { useRef, useState, type ReactNode } from 'react';
import { useMutation } from '../../../data/graphql/hooks.ts';
import { Button } from '../../../design/button.tsx';
import { Input } from '../../../design/field.tsx';
import { errorMessageOf, Form, FormAlert, valueOf, type FormError } from '../../../design/form.tsx';
import { Section } from '../../../design/page.tsx';
import { useToast } from '../../../design/toast.tsx';
import { ChangePasswordDocument, RequestPasswordResetDocument, type SelfFragment } from '../../../generated/graphql.ts';

export function Password({ user }: { readonly user: SelfFragment }): ReactNode {
  return (
    <Section title="Password">
      {user.hasPassword ? <ChangePassword user={user} /> : <SetFirstPassword user={user} />}
    </Section>
  );
}

function ChangePassword({ user }: { readonly user: SelfFragment }): ReactNode {
  const [change, pending] = useMutation(ChangePasswordDocument);
  const [error, setError] = useState<FormError | null>(null);
  const fields = useRef<HTMLDivElement>(null);
  const toast = useToast();
  const submit = async (form: FormData): Promise<void> => {
    setError(null);
    const input = { currentPassword: valueOf(form, 'current'), newPassword: valueOf(form, 'new') };
    const { data, failure } = await change({ input });
    if (failure) setError(failure);
    else if (data.changePassword.__typename === 'ChangePasswordFailure') setError(data.changePassword);
    else {
      for (const field of fields.current?.querySelectorAll('input') ?? []) field.value = '';
      toast.done('Password changed. You are signed out everywhere else.');
    }
  };
  const current = errorMessageOf(error, 'invalid_credentials');
  const weak = errorMessageOf(error, 'weak_password');
  return (
    <Form label="Password" onSubmit={submit} className="max-w-[400px]">
      <FormAlert text={current || weak ? null : error?.message} />
      {/* Password managers store the new password under this name. */}
      <input type="hidden" name="username" autoComplete="username" value={user.email} readOnly />
      <div ref={fields} className="flex flex-col gap-2">
        <Input
          label="Current password"
          name="current"
          type="password"
          autoComplete="current-password"
          required
          error={current}
        />
        <Input
          label="New password"
          name="new"
          type="password"
          autoComplete="new-password"
          required
          minLength={8}
          hint="At least 8 characters. Changing it ends all your other sessions."
          error={weak}
        />
      </div>
      <div>
        <Button type="submit" pending={pending}>
          Change password
        </Button>
      </div>
    </Form>
  );
}

/** For users of identity providers, who have no password: a link in a mail proves the address and sets one. */
function SetFirstPassword({ user }: { readonly user: SelfFragment }): ReactNode {
  const [request, pending] = useMutation(RequestPasswordResetDocument);
  const toast = useToast();
  const send = async (): Promise<void> => {
    const { failure } = await request({ email: user.email });
    if (failure) toast.failed(failure);
    else toast.done(`A link was sent to ${user.email}.`);
  };
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <p className="min-w-24 flex-1 text-soft">
        You have no password and sign in with an identity provider. With a password you can also set up an authenticator
        app.
      </p>
      <Button pending={pending} onClick={() => void send()}>
        Send link to set a password
      </Button>
    </div>
  );
}
