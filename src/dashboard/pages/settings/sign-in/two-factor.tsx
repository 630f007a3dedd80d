import { useState, type ReactNode } from 'react';
import { useMutation } from '../../../data/graphql/hooks.ts';
import { Badge } from '../../../design/badge.tsx';
import { Button } from '../../../design/button.tsx';
import { CodeField } from '../../../design/code-field.tsx';
import { Input } from '../../../design/field.tsx';
import { errorMessageOf, Form, FormAlert, valueOf, type FormError } from '../../../design/form.tsx';
import { Dialog } from '../../../design/overlay.tsx';
import { Section } from '../../../design/page.tsx';
import { useToast } from '../../../design/toast.tsx';
import { DisableTotpDocument, RenewRecoveryCodesDocument, type SelfFragment } from '../../../generated/graphql.ts';
import { RecoveryCodesSheet } from './recovery-codes.tsx';
import { TotpSetupDialog } from './totp-setup.tsx';

type OpenDialog = 'setup' | 'disable' | 'renew';

/** The authenticator app and its recovery codes. */
export function TwoFactor({
  user,
  onChanged,
}: {
  readonly user: SelfFragment;
  readonly onChanged: () => void;
}): ReactNode {
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null);
  const close = (): void => setOpenDialog(null);
  return (
    <Section title="Authenticator app" beside={user.totpEnabled ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>}>
      <p className="text-soft">
        {user.totpEnabled ? 'Every sign-in requires a code from the app or one of your recovery codes.' : offText(user)}
      </p>
      <div className="flex flex-wrap gap-1">
        {user.totpEnabled ? (
          <>
            <Button onClick={() => setOpenDialog('renew')}>New recovery codes</Button>
            <Button variant="danger" onClick={() => setOpenDialog('disable')}>
              Turn off
            </Button>
          </>
        ) : (
          <Button onClick={() => setOpenDialog('setup')} disabled={!user.hasPassword || !user.emailVerified}>
            Set up
          </Button>
        )}
      </div>
      {openDialog === 'setup' ? <TotpSetupDialog onClose={close} onChanged={onChanged} /> : null}
      {openDialog === 'disable' ? <Disable onClose={close} /> : null}
      {openDialog === 'renew' ? <Renew onClose={close} /> : null}
    </Section>
  );
}

function offText({ hasPassword, emailVerified }: SelfFragment): string {
  if (!hasPassword) return 'Set a password first. Then you can set up an authenticator app.';
  if (!emailVerified) return 'Confirm your e-mail address first. Then you can set up an authenticator app.';
  return 'Each sign-in then also requires a code from the app, so a stolen password is not enough.';
}

function Disable({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [disable, pending] = useMutation(DisableTotpDocument);
  const [error, setError] = useState<FormError | null>(null);
  const toast = useToast();
  const submit = async (input: { password: string; code: string }): Promise<void> => {
    setError(null);
    const { data, failure } = await disable({ input });
    if (failure) setError(failure);
    else if (data.disableTotp.__typename === 'DisableTotpFailure') setError(data.disableTotp);
    else {
      onClose();
      toast.done('Authenticator app turned off.');
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Turn off the authenticator app"
      description="Your password alone will sign you in. Your recovery codes will stop working."
    >
      <Confirmation
        label="Turn off"
        variant="danger"
        error={error}
        pending={pending}
        onSubmit={submit}
        onClose={onClose}
      />
    </Dialog>
  );
}

function Renew({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [renew, pending] = useMutation(RenewRecoveryCodesDocument);
  const [error, setError] = useState<FormError | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const close = (): void => {
    setCodes(null);
    onClose();
  };
  const submit = async (input: { password: string; code: string }): Promise<void> => {
    setError(null);
    const { data, failure } = await renew({ input });
    if (failure) setError(failure);
    else if (data.renewRecoveryCodes.__typename === 'RecoveryCodes') setCodes(data.renewRecoveryCodes.codes);
    else setError(data.renewRecoveryCodes);
  };
  return (
    <Dialog
      open
      onClose={close}
      title="New recovery codes"
      description={codes ? undefined : 'Ten new codes replace your current codes, which stop working.'}
    >
      {codes ? (
        <RecoveryCodesSheet codes={codes} onDone={close} />
      ) : (
        <Confirmation
          label="Create new codes"
          variant="primary"
          error={error}
          pending={pending}
          onSubmit={submit}
          onClose={close}
        />
      )}
    </Dialog>
  );
}

/** Asks for both factors, so that an unattended open session is not enough. */
function Confirmation({
  label,
  variant,
  error,
  pending,
  onSubmit,
  onClose,
}: {
  readonly label: string;
  readonly variant: 'primary' | 'danger';
  readonly error: FormError | null;
  readonly pending: boolean;
  readonly onSubmit: (input: { password: string; code: string }) => Promise<void>;
  readonly onClose: () => void;
}): ReactNode {
  const password = errorMessageOf(error, 'invalid_credentials');
  const code = errorMessageOf(error, 'invalid_totp', 'totp_required');
  return (
    <Form onSubmit={(form) => onSubmit({ password: valueOf(form, 'password'), code: valueOf(form, 'code').trim() })}>
      <FormAlert text={password || code ? null : error?.message} />
      <Input
        label="Your password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        error={password}
      />
      <CodeField error={code} />
      <div className="flex justify-end gap-1">
        <Button onClick={onClose}>Cancel</Button>
        <Button variant={variant} type="submit" pending={pending}>
          {label}
        </Button>
      </div>
    </Form>
  );
}
