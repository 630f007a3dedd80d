import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { Failure } from '../../data/failure.ts';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { count, duration, money, percent, words } from '../../design/format.ts';
import { Dialog, Drawer } from '../../design/overlay.tsx';
import { Facts, Section } from '../../design/page.tsx';
import { Failed } from '../../design/state.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { Time } from '../../design/time.tsx';
import { useToast } from '../../design/toast.tsx';
import {
  DisconnectProviderDocument,
  TestConnectionDocument,
  UpdateConnectionDocument,
  type ConnectionPartsFragment,
} from '../../generated/graphql.ts';
import { PolicyFacts } from '../models/data-policy.tsx';
import { SANDBOX, type ConnectedProvider } from './connected-providers.ts';
import { SaveAnyway, TEST_FAILED } from './save-anyway.tsx';
import { ConnectionFields, connectionInput } from './connection-fields.tsx';
import { FailingRequests } from './failing-requests.tsx';
import { BreakerBadge, HealthBadge } from './health-badge.tsx';

interface Props {
  readonly onChanged: () => void;
  readonly onClose: () => void;
  /** Opens the form that connects the provider with the account's own key. */
  readonly onConnect: (id: string) => void;
}

export function ProviderDrawer({
  provider,
  ...rest
}: Props & { readonly provider: ConnectedProvider | null }): ReactNode {
  return (
    <Drawer
      open={provider !== null}
      onClose={rest.onClose}
      title={provider?.name ?? ''}
      description={provider ? ownershipText(provider) : undefined}
    >
      {provider ? <Details key={provider.id} provider={provider} {...rest} /> : null}
    </Drawer>
  );
}

function ownershipText({ id, connection }: ConnectedProvider): string {
  if (connection?.active === false) return 'Connected by this account, inactive: requests do not use it';
  if (connection) return 'Connected by this account';
  return id === 'sandbox' ? 'Built in and offline. Not an AI model.' : 'Configured by the operator, for all accounts';
}

function Details({ provider, ...rest }: Props & { readonly provider: ConnectedProvider }): ReactNode {
  const [tab, setTab] = useState<'state' | 'settings'>('state');
  const { connection } = provider;
  if (connection === null) return <State provider={provider} {...rest} />;
  return (
    <Tabs
      label="Provider details"
      chosen={tab}
      onChoose={setTab}
      tabs={[
        { name: 'state', label: 'Status', content: <State provider={provider} {...rest} /> },
        {
          name: 'settings',
          label: 'Settings',
          content: <Settings provider={provider} connection={connection} onChanged={rest.onChanged} />,
        },
      ]}
    />
  );
}

function State({
  provider,
  onChanged,
  onClose,
  onConnect,
}: Props & { readonly provider: ConnectedProvider }): ReactNode {
  const { id, connection, state, known, usage } = provider;
  return (
    <div className="flex flex-col gap-4 pt-2">
      <Facts
        facts={[
          ['Status', <HealthBadge key="state" provider={provider} />],
          [
            'Models found',
            state && state.modelCount > 0 ? (
              <Link
                key="models"
                to="/models"
                search={{ provider: id }}
                className="text-accent underline underline-offset-2"
              >
                {count(state.modelCount)}
              </Link>
            ) : (
              'None'
            ),
          ],
          ['Base URL', baseUrlText(provider)],
          ...(connection ? ownFacts(connection) : []),
        ]}
      />
      {state ? (
        <Section title="Region and data policy">
          <PolicyFacts region={state.region} policy={state.dataPolicy} />
        </Section>
      ) : null}
      {connection ? <Test connection={connection} onTested={onChanged} /> : null}
      <div>
        <Link to="/providers/$provider" params={{ provider: id }} className="text-accent underline underline-offset-2">
          Performance over time, models and errors
        </Link>
      </div>
      <FailingRequests provider={id} />
      <Section title="Last 24 hours">
        {usage ? (
          <Facts
            facts={[
              [
                'Requests',
                <Link
                  key="requests"
                  to="/billing/usage"
                  search={{ provider: id, range: '24h' }}
                  className="text-accent underline underline-offset-2"
                >
                  {count(usage.requests)}
                </Link>,
              ],
              ['Failed', percent(usage.errors, usage.requests)],
              ['Spent', money(usage.cost.amount)],
              [
                'Total time',
                usage.latency ? `${duration(usage.latency.p50)}, p95 ${duration(usage.latency.p95)}` : '–',
              ],
              [
                'First token',
                usage.firstToken ? `${duration(usage.firstToken.p50)}, p95 ${duration(usage.firstToken.p95)}` : '–',
              ],
            ]}
          />
        ) : (
          <p className="text-soft">No requests from this account.</p>
        )}
      </Section>
      <Targets provider={provider} />
      {connection ? (
        <Disconnect
          connection={connection}
          onDone={() => {
            onChanged();
            onClose();
          }}
        />
      ) : known ? (
        <div className="flex flex-col items-start gap-1">
          <p className="text-soft">
            With your own key, your requests are sent with it and billed to it by the provider.
          </p>
          <Button onClick={() => onConnect(id)}>Use your own key</Button>
        </div>
      ) : null}
    </div>
  );
}

/** The base URL of the operator's connection is hidden: it may be private. */
function baseUrlText({ id, connection, known }: ConnectedProvider): string {
  if (connection) return connection.baseUrl ?? known?.baseUrl ?? 'Derived from its settings';
  return id === SANDBOX ? 'None (runs inside Sluice)' : 'Set by the operator';
}

function ownFacts({
  credentialHint,
  options,
  secretOptionNames,
  updatedAt,
}: ConnectionPartsFragment): (readonly [string, ReactNode])[] {
  return [
    ['API key', credentialHint ? <span className="font-mono">{credentialHint}</span> : 'None'],
    ...options.map(({ name, value }) => [words(name), value] as const),
    ...secretOptionNames.map((name) => [words(name), 'Stored encrypted'] as const),
    ['Changed', <Time key="changed" at={updatedAt} as="relative" />],
  ];
}

function Test({
  connection: { id, lastTest },
  onTested,
}: {
  readonly connection: ConnectionPartsFragment;
  readonly onTested: () => void;
}): ReactNode {
  const [test, pending] = useMutation(TestConnectionDocument);
  const toast = useToast();
  return (
    <Section
      title="Test"
      beside={
        <Button
          pending={pending}
          onClick={() =>
            void test({ id }).then(({ failure }) => {
              if (failure) toast.failed(failure);
              else onTested();
            })
          }
        >
          Test now
        </Button>
      }
    >
      {lastTest ? (
        <p className={lastTest.succeeded ? 'break-words' : 'break-words text-bad'}>
          {lastTest.message}{' '}
          <span className="text-soft">
            (<Time at={lastTest.at} as="relative" />)
          </span>
        </p>
      ) : (
        <p className="text-soft">
          Not tested since its credentials were saved. A test lists the provider’s models and is free.
        </p>
      )}
    </Section>
  );
}

/** Measurements of single models. Models whose breakers are not closed are first. */
function Targets({ provider: { state } }: { readonly provider: ConnectedProvider }): ReactNode {
  const targets = (state?.targets ?? []).toSorted(
    (a, b) => Number(a.breaker === 'CLOSED') - Number(b.breaker === 'CLOSED'),
  );
  if (targets.length === 0) return null;
  return (
    <Section title="Recent performance">
      <ul className="figures flex flex-col">
        {targets.map(({ model, breaker, availableInMs, firstTokenMs, tokensPerSecond }) => (
          <li key={model} className="flex flex-wrap items-center gap-x-2 border-t border-line py-1">
            <span className="min-w-0 flex-1 basis-25 font-mono text-small wrap-anywhere">{model}</span>
            <span className="text-small text-soft">
              {[
                availableInMs > 0 ? `available in ${duration(availableInMs)}` : null,
                firstTokenMs == null ? null : `first token ${duration(firstTokenMs)}`,
                tokensPerSecond == null ? null : `${Math.round(tokensPerSecond)} tokens/s`,
              ]
                .filter(Boolean)
                .join(', ')}
            </span>
            <BreakerBadge state={breaker} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Settings({
  provider: { known },
  connection,
  onChanged,
}: {
  readonly provider: ConnectedProvider;
  readonly connection: ConnectionPartsFragment;
  readonly onChanged: () => void;
}): ReactNode {
  const [update, pending] = useMutation(UpdateConnectionDocument);
  const [error, setError] = useState<Failure | null>(null);
  const toast = useToast();
  const submit = async (form: FormData, isConfirmed = false): Promise<void> => {
    setError(null);
    const { options, secretOptions, ...given } = connectionInput(form, known);
    const hasOptions = known !== null && known.options.length > 0;
    const { failure } = await update({
      input: {
        id: connection.id,
        ...(isConfirmed ? { active: false } : { test: true }),
        ...given,
        // Omitted settings remain unchanged.
        ...(hasOptions && { options }),
        ...(secretOptions.length > 0 && { secretOptions }),
      },
    });
    if (failure) setError(failure);
    else {
      toast.done('Connection updated.');
      onChanged();
    }
  };
  return (
    <form
      className="flex flex-col gap-3 pt-2"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(new FormData(event.currentTarget));
      }}
    >
      <ConnectionFields known={known} connection={connection} />
      {error ? <Failed failure={error} /> : null}
      <div className="flex flex-wrap gap-1">
        <Button variant="primary" type="submit" pending={pending}>
          Test and save
        </Button>
        {error?.code === TEST_FAILED ? (
          <SaveAnyway pending={pending} onSave={(form) => void submit(form, true)} />
        ) : null}
      </div>
    </form>
  );
}

function Disconnect({
  connection: { id, name },
  onDone,
}: {
  readonly connection: ConnectionPartsFragment;
  readonly onDone: () => void;
}): ReactNode {
  const [isConfirming, setConfirming] = useState(false);
  const [disconnect, pending] = useMutation(DisconnectProviderDocument);
  const toast = useToast();
  const run = async (): Promise<void> => {
    const { failure } = await disconnect({ id });
    setConfirming(false);
    if (failure) toast.failed(failure);
    else {
      toast.done(`${name} disconnected.`);
      onDone();
    }
  };
  return (
    <div>
      <Button variant="danger" onClick={() => setConfirming(true)}>
        Disconnect
      </Button>
      <Dialog
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title={`Disconnect ${name}?`}
        description="Its credentials are deleted. Requests use the operator’s connection if there is one. Otherwise they are refused."
      >
        <div className="flex justify-end gap-1">
          <Button onClick={() => setConfirming(false)}>Cancel</Button>
          <Button variant="danger" pending={pending} onClick={() => void run()}>
            Disconnect
          </Button>
        </div>
      </Dialog>
    </div>
  );
}
