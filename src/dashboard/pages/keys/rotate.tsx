import { useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { numberOf } from '../../data/form.ts';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { CopyLine } from '../../design/code.tsx';
import { Select } from '../../design/field.tsx';
import { Dialog, WarnBeforeClose } from '../../design/overlay.tsx';
import { Failed } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { RotateKeyDocument, type KeyFragment } from '../../generated/graphql.ts';
import { KeySafety } from './key-safety.tsx';

const HOUR_SECONDS = 3_600;
const overlaps = [
  [0, 'No overlap'],
  [HOUR_SECONDS, '1 hour'],
  [24 * HOUR_SECONDS, '1 day'],
  [7 * 24 * HOUR_SECONDS, '7 days'],
  [30 * 24 * HOUR_SECONDS, '30 days'],
] as const;
const DEFAULT_OVERLAP_SECONDS = 24 * HOUR_SECONDS;

/** Rotates a key's secret. The new secret is held in this component's state only. */
export function Rotate({
  apiKey,
  open,
  onClose,
}: {
  readonly apiKey: KeyFragment;
  readonly open: boolean;
  readonly onClose: () => void;
}): ReactNode {
  const [rotate, pending] = useMutation(RotateKeyDocument);
  const [secret, setSecret] = useState<string | null>(null);
  const [error, setError] = useState<Failure | null>(null);
  const close = (): void => {
    setSecret(null);
    setError(null);
    onClose();
  };
  const submit = async (form: FormData): Promise<void> => {
    setError(null);
    const { data, failure } = await rotate({
      input: { id: apiKey.id, overlapSeconds: numberOf(form, 'overlapSeconds') ?? DEFAULT_OVERLAP_SECONDS },
    });
    if (failure) setError(failure);
    else setSecret(data.rotateApiKey.secret);
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title={secret === null ? `Rotate ${apiKey.name}?` : 'New secret'}
      description={
        secret === null
          ? 'The key gets a new secret. Its limits, budget and usage remain.'
          : 'Copy it now. It is shown only once.'
      }
    >
      {secret === null ? (
        <form
          className="flex flex-col gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            void submit(new FormData(event.currentTarget));
          }}
        >
          <Select
            label="Old secret remains valid for"
            name="overlapSeconds"
            defaultValue={DEFAULT_OVERLAP_SECONDS}
            hint={
              apiKey.previousSecretExpiresAt
                ? 'The secret from before the last rotation stops working now.'
                : 'Choose enough time to update every program.'
            }
          >
            {overlaps.map(([seconds, label]) => (
              <option key={seconds} value={seconds}>
                {label}
              </option>
            ))}
          </Select>
          {error ? <Failed failure={error} /> : null}
          <div className="flex justify-end gap-1">
            <Button onClick={close}>Cancel</Button>
            <Button variant="primary" type="submit" pending={pending}>
              Rotate secret
            </Button>
          </div>
        </form>
      ) : (
        <div className="flex flex-col gap-2">
          <WarnBeforeClose what="The secret" />
          <CopyLine text={secret} label="Copy the secret" />
          <KeySafety apiKeyId={apiKey.id} />
          <p className="text-soft">
            {apiKey.previousSecretExpiresAt ? (
              <>
                The old secret works until <Time at={apiKey.previousSecretExpiresAt} />.
              </>
            ) : (
              'The old secret no longer works.'
            )}
          </p>
          <div className="flex justify-end">
            <Button variant="primary" onClick={close}>
              Done
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  );
}
