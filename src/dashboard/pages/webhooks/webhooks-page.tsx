import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, Webhook } from 'lucide-react';
import type { ReactNode } from 'react';
import { useQuery } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { ListTable, type ListColumn } from '../../design/list-table.tsx';
import { Page } from '../../design/page.tsx';
import { Empty, Failed, SkeletonRows } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { WebhooksDocument, type WebhookPartsFragment } from '../../generated/graphql.ts';
import { NotAllowed } from '../../shell/notices/not-allowed.tsx';
import { usePermissions } from '../../shell/permissions.ts';
import { CreateWebhook } from './create-webhook.tsx';
import { DeliveryBadge } from './delivery-badge.tsx';
import { eventNames } from './event-names.ts';
import { WebhookDrawer } from './webhook-drawer.tsx';
import type { WebhooksSearch } from './search.ts';

const MAX_WEBHOOKS = 10;

export function WebhooksPage(): ReactNode {
  const search = useSearch({ from: '/shell/hooks' });
  const navigate = useNavigate({ from: '/hooks' });
  const { can } = usePermissions();
  const canRead = can('webhooks.read');
  const canWrite = can('webhooks.write');
  const { data, failure, refetch } = useQuery(WebhooksDocument, {}, { pause: !canRead });
  const go = (next: WebhooksSearch): void => void navigate({ search: () => next });
  const webhooks = data?.webhooks ?? [];
  const create =
    canWrite && webhooks.length < MAX_WEBHOOKS ? (
      <Button variant="primary" icon={<Plus size={16} aria-hidden />} onClick={() => go({ create: true })}>
        Add webhook
      </Button>
    ) : null;
  return (
    <Page
      title="Webhooks"
      lead="Your URLs receive a signed request when a video is completed or fails, a budget reaches a threshold, or an API key is about to expire."
      actions={create}
    >
      {canRead ? null : <NotAllowed action="webhooks.read" icon={<Webhook size={24} />} />}
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      {canRead && data === null && !failure ? <SkeletonRows rows={4} /> : null}
      {data && webhooks.length === 0 ? (
        <Empty icon={<Webhook size={24} />} title="No webhooks yet" action={create}>
          Each event is a POST request, signed according to Standard Webhooks. Failed deliveries are retried for up to
          three days, at intervals of up to an hour. A webhook that fails for three days is disabled.
        </Empty>
      ) : null}
      {webhooks.length > 0 ? (
        <ListTable
          label="Webhooks"
          rows={webhooks}
          columns={columns}
          keyOf={({ id }) => id}
          nameOf={({ url }) => url}
          under={({ events }) => events.map((event) => eventNames[event]).join(', ')}
          onOpen={({ id }) => go({ webhook: id })}
        />
      ) : null}
      <CreateWebhook open={canWrite && search.create === true} onClose={() => go({})} onCreated={refetch} />
      <WebhookDrawer
        webhook={webhooks.find(({ id }) => id === search.webhook) ?? null}
        canWrite={canWrite}
        onClose={() => go({})}
        onDeleted={() => {
          go({});
          refetch();
        }}
      />
    </Page>
  );
}

const columns: readonly ListColumn<WebhookPartsFragment>[] = [
  {
    name: 'last',
    title: 'Last attempt',
    from: 'md',
    cell: ({ lastAttemptAt }) => (
      <span className="text-soft">{lastAttemptAt ? <Time at={lastAttemptAt} as="relative" /> : 'Never'}</span>
    ),
  },
  { name: 'state', title: 'Status', align: 'right', cell: (webhook) => <DeliveryBadge webhook={webhook} /> },
];
