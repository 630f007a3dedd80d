import { useState, type ReactNode } from 'react';
import { useMutation } from '../../../data/graphql/hooks.ts';
import { Button } from '../../../design/button.tsx';
import { CodeField } from '../../../design/code-field.tsx';
import { Input } from '../../../design/field.tsx';
import { errorMessageOf, Form, FormAlert, valueOf, type FormError } from '../../../design/form.tsx';
import { Dialog } from '../../../design/overlay.tsx';
import { LinkIdentityDocument, type SelfFragment, type SettingsQuery } from '../../../generated/graphql.ts';

const RETURN_PATH = encodeURIComponent('/settings?tab=security');

/** Asks for the user's password and code before the redirect to the provider. */
export function LinkIdentity({
  user,
  provider,
  onClose,
}: {
  readonly user: SelfFragment;
  readonly provider: SettingsQuery['signInOptions']['providers'][number];
  readonly onClose: () => void;
}): ReactNode {
  const [link, pending] = useMutation(LinkIdentityDocument);
  const [error, setError] = useState<FormError | null>(null);
  const submit = async (form: FormData): Promise<void> => {
    setError(null);
    const input = {
      provider: provider.id,
      ...(user.hasPassword && { password: valueOf(form, 'password') }),
      ...(user.totpEnabled && { code: valueOf(form, 'code').trim() }),
    };
    const { data, failure } = await link({ input });
    if (failure) setError(failure);
    else if (data.linkIdentity.__typename === 'LinkIdentityFailure') setError(data.linkIdentity);
    else location.assign(`${data.linkIdentity.startUrl}&return=${RETURN_PATH}`);
  };
  const password = errorMessageOf(error, 'invalid_credentials');
  const code = errorMessageOf(error, 'invalid_totp', 'totp_required');
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Link ${provider.name}`}
      description={
        user.hasPassword
          ? `${provider.name} will sign you in without your password.`
          : `${provider.name} will sign you in too. Without a password, linking is possible within 10 minutes of your sign-in.`
      }
    >
      <Form onSubmit={submit}>
        <FormAlert text={password || code ? null : error?.message} />
        {user.hasPassword ? (
          <Input
            label="Your password"
            name="password"
            type="password"
            autoComplete="current-password"
            required
            error={password}
          />
        ) : null}
        {user.totpEnabled ? <CodeField error={code} /> : null}
        <div className="flex justify-end gap-1">
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" pending={pending}>
            Continue to {provider.name}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
