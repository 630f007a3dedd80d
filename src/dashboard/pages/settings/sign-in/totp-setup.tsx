import { QRCodeSVG } from 'qrcode.react';
import { useState, type ReactNode } from 'react';
import { useMutation } from '../../../data/graphql/hooks.ts';
import { Button } from '../../../design/button.tsx';
import { CodeField } from '../../../design/code-field.tsx';
import { CopyLine } from '../../../design/code.tsx';
import { Input } from '../../../design/field.tsx';
import { errorMessageOf, Form, FormAlert, valueOf, type FormError } from '../../../design/form.tsx';
import { Dialog } from '../../../design/overlay.tsx';
import { ConfirmTotpDocument, StartTotpDocument } from '../../../generated/graphql.ts';
import { RecoveryCodesSheet } from './recovery-codes.tsx';

interface Setup {
  readonly secret: string;
  readonly uri: string;
}

interface Props {
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

const QR_PX = 184;

/** Three steps: the password, a code that proves that the app has the secret, the recovery codes. */
export function TotpSetupDialog({ onClose, onChanged }: Props): ReactNode {
  const [setup, setSetup] = useState<Setup | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const close = (): void => {
    if (codes) onChanged();
    setSetup(null);
    setCodes(null);
    onClose();
  };
  return (
    <Dialog
      open
      onClose={close}
      title={codes ? 'Save your recovery codes' : 'Set up an authenticator app'}
      description={codes ? undefined : `Step ${setup ? 2 : 1} of 3`}
    >
      {codes ? (
        <RecoveryCodesSheet codes={codes} onDone={close} />
      ) : setup ? (
        <ScanStep setup={setup} onCodes={setCodes} onClose={close} />
      ) : (
        <PasswordStep onSetup={setSetup} onClose={close} />
      )}
    </Dialog>
  );
}

function PasswordStep({
  onSetup,
  onClose,
}: {
  readonly onSetup: (setup: Setup) => void;
  readonly onClose: () => void;
}): ReactNode {
  const [start, pending] = useMutation(StartTotpDocument);
  const [error, setError] = useState<FormError | null>(null);
  const submit = async (form: FormData): Promise<void> => {
    setError(null);
    const { data, failure } = await start({ password: valueOf(form, 'password') });
    if (failure) setError(failure);
    else if (data.startTotp.__typename === 'TotpSetup') onSetup(data.startTotp);
    else setError(data.startTotp);
  };
  const password = errorMessageOf(error, 'invalid_credentials');
  return (
    <Form onSubmit={submit}>
      <FormAlert text={password ? null : error?.message} />
      <Input
        label="Your password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        error={password}
      />
      <div className="flex justify-end gap-1">
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="primary" type="submit" pending={pending}>
          Continue
        </Button>
      </div>
    </Form>
  );
}

function ScanStep({
  setup,
  onCodes,
  onClose,
}: {
  readonly setup: Setup;
  readonly onCodes: (codes: readonly string[]) => void;
  readonly onClose: () => void;
}): ReactNode {
  const [confirm, pending] = useMutation(ConfirmTotpDocument);
  const [error, setError] = useState<FormError | null>(null);
  const submit = async (form: FormData): Promise<void> => {
    setError(null);
    const { data, failure } = await confirm({ code: valueOf(form, 'code').trim() });
    if (failure) setError(failure);
    else if (data.confirmTotp.__typename === 'RecoveryCodes') onCodes(data.confirmTotp.codes);
    else setError(data.confirmTotp);
  };
  const code = errorMessageOf(error, 'invalid_totp');
  return (
    <Form onSubmit={submit}>
      <p>Scan this code with an authenticator app or a password manager.</p>
      {/* Dark on light in the dark theme too: cameras do not read the inverse. */}
      <div className="self-center rounded-medium bg-[#ffffff] p-1.5">
        <QRCodeSVG value={setup.uri} size={QR_PX} title="QR code for the authenticator app" />
      </div>
      <div className="flex flex-col gap-0.5">
        <span className="text-soft">No camera? Enter this key in the app.</span>
        <CopyLine text={setup.secret} label="Copy the key" />
      </div>
      <FormAlert text={code ? null : error?.message} />
      <CodeField error={code} allowsRecovery={false} />
      <div className="flex justify-end gap-1">
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="primary" type="submit" pending={pending}>
          Turn on
        </Button>
      </div>
    </Form>
  );
}
