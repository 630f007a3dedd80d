import { useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { textOf } from '../../data/form.ts';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { Input } from '../../design/field.tsx';
import { Drawer } from '../../design/overlay.tsx';
import { Failed } from '../../design/state.tsx';
import { useToast } from '../../design/toast.tsx';
import { ConnectProviderDocument, type ProviderPartsFragment } from '../../generated/graphql.ts';
import { ConnectionFields, connectionInput } from './connection-fields.tsx';
import { SaveAnyway, TEST_FAILED } from './save-anyway.tsx';
import { OTHER_SERVER } from './search.ts';

/** Connects a provider and tests its credentials. */
export function ConnectDrawer({
  chosen,
  providers,
  onClose,
  onConnected,
}: {
  readonly chosen: string | null;
  readonly providers: readonly ProviderPartsFragment[];
  readonly onClose: () => void;
  readonly onConnected: (provider: string) => void;
}): ReactNode {
  const known = providers.find(({ id }) => id === chosen) ?? null;
  const open = known !== null || chosen === OTHER_SERVER;
  return (
    <Drawer
      open={open}
      onClose={onClose}
      title={known ? `Connect ${known.name}` : 'Connect a server'}
      description={
        known
          ? `Its models are named ${known.id}/….`
          : 'Any server with an OpenAI-compatible API, such as vLLM, Ollama, a proxy or a gateway.'
      }
    >
      <Form key={chosen} known={known} onConnected={onConnected} />
    </Drawer>
  );
}

function Form({
  known,
  onConnected,
}: {
  readonly known: ProviderPartsFragment | null;
  readonly onConnected: (provider: string) => void;
}): ReactNode {
  const [connect, isConnecting] = useMutation(ConnectProviderDocument);
  const [error, setError] = useState<Failure | null>(null);
  const toast = useToast();
  const submit = async (form: FormData, saveAnyway = false): Promise<void> => {
    setError(null);
    const provider = known?.id ?? textOf(form, 'provider').toLowerCase();
    const input = { provider, ...connectionInput(form, known), test: true, saveAnyway };
    const { data, failure } = await connect({ input });
    if (failure) {
      setError(failure);
      return;
    }
    const { name, active } = data.connectProvider;
    toast.done(
      active
        ? `${name} is connected and its test succeeded.`
        : `${name} is saved. It is inactive until a test succeeds.`,
    );
    onConnected(data.connectProvider.provider);
  };
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(new FormData(event.currentTarget));
      }}
    >
      {known ? null : (
        <Input
          label="Prefix"
          name="provider"
          required
          maxLength={64}
          pattern="[a-zA-Z][a-zA-Z0-9\-]*"
          title="Letters, digits and dashes"
          placeholder="my-server"
          hint="The prefix of its models’ names, as in my-server/llama. Letters, digits and dashes."
        />
      )}
      <ConnectionFields known={known} connection={null} />
      {error ? <Failed failure={error} /> : null}
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Button variant="primary" type="submit" pending={isConnecting}>
          {isConnecting ? 'Loading its models …' : 'Connect and test'}
        </Button>
        {error?.code === TEST_FAILED ? (
          <SaveAnyway pending={isConnecting} onSave={(form) => void submit(form, true)} />
        ) : null}
        {known?.documentation ? (
          <a
            href={known.documentation}
            target="_blank"
            rel="noreferrer"
            className="text-accent underline underline-offset-2"
          >
            {known.name}’s documentation
          </a>
        ) : null}
      </div>
    </form>
  );
}
