import { useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { useMutation, useQuery } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { FormFailure } from '../../design/form-failure.tsx';
import { Dialog, Drawer } from '../../design/overlay.tsx';
import { Failed, SkeletonRows } from '../../design/state.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { useToast } from '../../design/toast.tsx';
import {
  OpenedKeyDocument,
  RevokeKeyDocument,
  UpdateKeyDocument,
  type KeyFragment,
  type ListedKeyFragment,
} from '../../generated/graphql.ts';
import { usePermissions } from '../../shell/permissions.ts';
import { AccessToken } from './access-token.tsx';
import { hasField, KeyFields, settingsOf } from './key-form.tsx';
import { KeyUsage } from './key-usage.tsx';
import { Rotate } from './rotate.tsx';
import type { KeyTab } from './search.ts';

/** The details of one key: usage, settings, tokens, rotation and revocation. */
export function KeyDrawer({
  id,
  tab = 'usage',
  listed,
  onClose,
}: {
  readonly id: string | null;
  /** The tab that is open first. */
  readonly tab?: KeyTab;
  /** What the list shows of the key, if it has loaded it. */
  readonly listed: ListedKeyFragment | null;
  readonly onClose: () => void;
}): ReactNode {
  const { can } = usePermissions();
  const { data, failure, fetching, refetch } = useQuery(OpenedKeyDocument, { id: id ?? '' }, { pause: id === null });
  const node = data?.node;
  const apiKey = node?.__typename === 'ApiKey' && node.id === id ? node : null;
  // A link may name a revoked key or one that the list has not loaded.
  const shown = apiKey ?? listed;
  return (
    <Drawer open={id !== null} onClose={onClose} title={shown?.name ?? 'API key'} description={shown?.hint}>
      {apiKey ? (
        <Details key={apiKey.id} apiKey={apiKey} first={tab === 'tokens' && !can('tokens.create') ? 'usage' : tab} />
      ) : failure ? (
        <Failed failure={failure} onRetry={refetch} />
      ) : data && !fetching ? (
        <p className="text-soft">This account has no API key with this ID.</p>
      ) : (
        <SkeletonRows />
      )}
    </Drawer>
  );
}

function Details({ apiKey, first }: { readonly apiKey: KeyFragment; readonly first: KeyTab }): ReactNode {
  const [tab, setTab] = useState<KeyTab>(first);
  const [isRotating, setRotating] = useState(false);
  const [isRevoking, setRevoking] = useState(false);
  const { can } = usePermissions();
  return (
    <>
      <Tabs
        label="Key details"
        chosen={tab}
        onChoose={setTab}
        beside={
          apiKey.revokedAt || !can('keys.write') ? null : (
            <span className="mb-0.5 flex gap-1">
              <Button onClick={() => setRotating(true)}>Rotate</Button>
              <Button variant="danger" onClick={() => setRevoking(true)}>
                Revoke
              </Button>
            </span>
          )
        }
        tabs={[
          { name: 'usage', label: 'Usage', content: <KeyUsage apiKey={apiKey} /> },
          { name: 'settings', label: 'Settings', content: <Settings apiKey={apiKey} /> },
          ...(can('tokens.create')
            ? [{ name: 'tokens' as const, label: 'Tokens', content: <AccessToken apiKey={apiKey} /> }]
            : []),
        ]}
      />
      <Rotate apiKey={apiKey} open={isRotating} onClose={() => setRotating(false)} />
      <Revoke apiKey={apiKey} open={isRevoking} onClose={() => setRevoking(false)} />
    </>
  );
}

function Settings({ apiKey }: { readonly apiKey: KeyFragment }): ReactNode {
  const [update, pending] = useMutation(UpdateKeyDocument);
  const [error, setError] = useState<Failure | null>(null);
  const toast = useToast();
  const { can, rolesAllowedTo } = usePermissions();
  const canWrite = can('keys.write');
  if (apiKey.revokedAt) return <p className="pt-2 text-soft">A revoked key cannot be changed.</p>;
  const submit = async (form: FormData, saveAnyway = false): Promise<void> => {
    setError(null);
    const { failure } = await update({ input: { id: apiKey.id, ...settingsOf(form), saveAnyway } });
    if (failure) setError(failure);
    else toast.done('Key updated.');
  };
  return (
    <form
      className="flex flex-col gap-3 pt-2"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(new FormData(event.currentTarget));
      }}
    >
      <fieldset disabled={!canWrite} className="flex min-w-0 flex-col gap-3">
        <FormFailure failure={error} pending={pending} onSaveAnyway={(form) => void submit(form, true)}>
          <KeyFields apiKey={apiKey} />
        </FormFailure>
      </fieldset>
      {error && !hasField(error.param) ? <Failed failure={error} /> : null}
      {canWrite ? (
        <div>
          <Button variant="primary" type="submit" pending={pending}>
            Save
          </Button>
        </div>
      ) : (
        <p className="text-soft">Only {rolesAllowedTo('keys.write')} can change these settings.</p>
      )}
    </form>
  );
}

function Revoke({
  apiKey,
  open,
  onClose,
}: {
  readonly apiKey: KeyFragment;
  readonly open: boolean;
  readonly onClose: () => void;
}): ReactNode {
  const [revoke, pending] = useMutation(RevokeKeyDocument);
  const toast = useToast();
  const run = async (): Promise<void> => {
    const { failure } = await revoke({ id: apiKey.id });
    onClose();
    if (failure) toast.failed(failure);
    else toast.done(`${apiKey.name} revoked.`);
  };
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Revoke ${apiKey.name}?`}
      description="Requests with it are refused within a second and its running requests are cancelled. This cannot be undone."
    >
      <div className="flex justify-end gap-1">
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="danger" pending={pending} onClick={() => void run()}>
          Revoke key
        </Button>
      </div>
    </Dialog>
  );
}
