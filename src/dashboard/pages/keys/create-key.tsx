import { useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { useChange } from '../../data/hooks.ts';
import { Button } from '../../design/button.tsx';
import { CodeSamples, CopyLine } from '../../design/code.tsx';
import { Drawer } from '../../design/overlay.tsx';
import { chatSamples } from '../../design/samples.ts';
import { Failed } from '../../design/state.tsx';
import { CreateKeyDocument } from '../../generated/graphql.ts';
import { KeyFields, scopesOf, settingsOf } from './key-form.tsx';

/** Makes a key. Its secret is in this component's memory alone, and goes with it. */
export function CreateKey({
  open,
  onClose,
  onCreated,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onCreated: () => void;
}): ReactNode {
  const [secret, setSecret] = useState<string | null>(null);
  const close = (): void => {
    setSecret(null);
    onClose();
  };
  return (
    <Drawer
      open={open}
      onClose={close}
      title={secret === null ? 'Create a key' : 'The key is made'}
      description={secret === null ? undefined : 'Copy it now: it is shown this once.'}
    >
      {secret === null ? (
        <Form
          onCreated={(made) => {
            setSecret(made);
            onCreated();
          }}
        />
      ) : (
        <div className="flex flex-col gap-3">
          <CopyLine text={secret} label="Copy the key" />
          <CodeSamples samples={chatSamples({ origin: location.origin, key: secret, model: 'sandbox/chat' })} />
          <div>
            <Button look="primary" onClick={close}>
              I have it
            </Button>
          </div>
        </div>
      )}
    </Drawer>
  );
}

function Form({ onCreated }: { readonly onCreated: (secret: string) => void }): ReactNode {
  const [create, pending] = useChange(CreateKeyDocument);
  const [fault, setFault] = useState<Failure | null>(null);
  const submit = async (form: FormData): Promise<void> => {
    setFault(null);
    const { data, failure } = await create({ input: { ...settingsOf(form), scopes: scopesOf(form) } });
    if (failure) setFault(failure);
    else onCreated(data.createApiKey.secret);
  };
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(new FormData(event.currentTarget));
      }}
    >
      <KeyFields apiKey={null} />
      {fault ? <Failed failure={fault} /> : null}
      <div>
        <Button look="primary" type="submit" pending={pending}>
          Create the key
        </Button>
      </div>
    </form>
  );
}
