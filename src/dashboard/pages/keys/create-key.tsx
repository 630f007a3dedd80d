import { useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { CopyLine } from '../../design/code.tsx';
import { FormFailure } from '../../design/form-failure.tsx';
import { Drawer, WarnBeforeClose } from '../../design/overlay.tsx';
import { Failed } from '../../design/state.tsx';
import { CreateKeyDocument, type CreateKeyMutation } from '../../generated/graphql.ts';
import { hasField, KeyFields, scopesOf, settingsOf } from './key-form.tsx';
import { KeySafety } from './key-safety.tsx';
import { KeySamples } from './key-samples.tsx';

type CreatedKey = CreateKeyMutation['createApiKey'];

/** Creates a key. Its secret is held in this component's state only. */
export function CreateKey({
  open,
  onClose,
  onCreated,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onCreated: () => void;
}): ReactNode {
  const [created, setCreated] = useState<CreatedKey | null>(null);
  const close = (): void => {
    setCreated(null);
    onClose();
  };
  return (
    <Drawer
      open={open}
      onClose={close}
      title={created === null ? 'Create Key' : 'Key created'}
      description={created === null ? undefined : 'Copy it now. It is shown only once.'}
    >
      {created === null ? (
        <Form
          onCreated={(newKey) => {
            setCreated(newKey);
            onCreated();
          }}
        />
      ) : (
        <div className="flex flex-col gap-3">
          <WarnBeforeClose what="The key" />
          <CopyLine text={created.secret} label="Copy the key" />
          <KeySafety apiKeyId={created.apiKey.id} />
          <KeySamples apiKey={created.apiKey} secret={created.secret} />
          <div>
            <Button variant="primary" onClick={close}>
              Done
            </Button>
          </div>
        </div>
      )}
    </Drawer>
  );
}

function Form({ onCreated }: { readonly onCreated: (created: CreatedKey) => void }): ReactNode {
  const [create, pending] = useMutation(CreateKeyDocument);
  const [error, setError] = useState<Failure | null>(null);
  const submit = async (form: FormData, saveAnyway = false): Promise<void> => {
    setError(null);
    const { data, failure } = await create({ input: { ...settingsOf(form), scopes: scopesOf(form), saveAnyway } });
    if (failure) setError(failure);
    else onCreated(data.createApiKey);
  };
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(new FormData(event.currentTarget));
      }}
    >
      <FormFailure failure={error} pending={pending} onSaveAnyway={(form) => void submit(form, true)}>
        <KeyFields apiKey={null} />
      </FormFailure>
      {error && !hasField(error.param) ? <Failed failure={error} /> : null}
      <div>
        <Button variant="primary" type="submit" pending={pending}>
          Create Key
        </Button>
      </div>
    </form>
  );
}
