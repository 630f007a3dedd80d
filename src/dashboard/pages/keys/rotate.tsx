import { useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { numberOf } from '../../data/form.ts';
import { useChange } from '../../data/hooks.ts';
import { Button } from '../../design/button.tsx';
import { CopyLine } from '../../design/code.tsx';
import { Select } from '../../design/field.tsx';
import { Dialog, ShownOnce } from '../../design/overlay.tsx';
import { Failed } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { RotateKeyDocument, type KeyFragment } from '../../generated/graphql.ts';
import { KeySafety } from './key-safety.tsx';

const HOUR = 3_600;
const overlaps = [
  [0, 'Not at all'],
  [HOUR, 'An hour'],
  [24 * HOUR, 'A day'],
  [7 * 24 * HOUR, 'A week'],
  [30 * 24 * HOUR, '30 days'],
] as const;
const USUAL = 24 * HOUR;

/** Gives a key another secret. It is in this component's memory alone, and goes with it. */
export function Rotate({
  apiKey,
  open,
  onClose,
}: {
  readonly apiKey: KeyFragment;
  readonly open: boolean;
  readonly onClose: () => void;
}): ReactNode {
  const [rotate, pending] = useChange(RotateKeyDocument);
  const [secret, setSecret] = useState<string | null>(null);
  const [fault, setFault] = useState<Failure | null>(null);
  const close = (): void => {
    setSecret(null);
    setFault(null);
    onClose();
  };
  const submit = async (form: FormData): Promise<void> => {
    setFault(null);
    const { data, failure } = await rotate({
      input: { id: apiKey.id, overlapSeconds: numberOf(form, 'overlapSeconds') ?? USUAL },
    });
    if (failure) setFault(failure);
    else setSecret(data.rotateApiKey.secret);
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title={secret === null ? `Rotate ${apiKey.name}?` : 'The new secret'}
      description={
        secret === null
          ? 'It gets a new secret. Its limits, budget and usage go on.'
          : 'Copy it now: it is shown this once.'
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
            label="The old secret works on for"
            name="overlapSeconds"
            defaultValue={USUAL}
            hint={
              apiKey.previousSecretExpiresAt
                ? 'The secret before it, of the last rotation, ends now.'
                : 'Long enough to give the new one to every program.'
            }
          >
            {overlaps.map(([seconds, label]) => (
              <option key={seconds} value={seconds}>
                {label}
              </option>
            ))}
          </Select>
          {fault ? <Failed failure={fault} /> : null}
          <div className="flex justify-end gap-1">
            <Button onClick={close}>Cancel</Button>
            <Button look="primary" type="submit" pending={pending}>
              Make a new secret
            </Button>
          </div>
        </form>
      ) : (
        <div className="flex flex-col gap-2">
          <ShownOnce what="The secret" />
          <CopyLine text={secret} label="Copy the secret" />
          <KeySafety apiKeyId={apiKey.id} />
          <p className="text-soft">
            {apiKey.previousSecretExpiresAt ? (
              <>
                The old one works until <Time at={apiKey.previousSecretExpiresAt} />.
              </>
            ) : (
              'The old one is refused from now on.'
            )}
          </p>
          <div className="flex justify-end">
            <Button look="primary" onClick={close}>
              Done
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  );
}
