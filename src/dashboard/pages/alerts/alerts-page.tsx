import { useNavigate, useSearch } from '@tanstack/react-router';
import { BellRing, Plus } from 'lucide-react';
import { useEffect, type ReactNode } from 'react';
import { useQuery } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { Page } from '../../design/page.tsx';
import { Failed, SkeletonRows } from '../../design/state.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { AlertSettingsDocument } from '../../generated/graphql.ts';
import { RequirePermission } from '../../shell/notices/not-allowed.tsx';
import { usePermissions } from '../../shell/permissions.ts';
import { AlertHistory } from './alert-history.tsx';
import { ChannelDrawer } from './channel-drawer.tsx';
import { CreateChannel } from './create-channel.tsx';
import { ChannelList, RuleList } from './lists.tsx';
import { RuleDrawer } from './rule-drawer.tsx';
import type { AlertsSearch } from './search.ts';

/** Rules are evaluated every minute. */
const REFRESH_MS = 30_000;

export function AlertsPage(): ReactNode {
  return (
    <RequirePermission action="alerts.read" title="Alerts" icon={<BellRing size={24} />}>
      <Alerts />
    </RequirePermission>
  );
}

function Alerts(): ReactNode {
  const search = useSearch({ from: '/shell/alerts' });
  const navigate = useNavigate({ from: '/alerts' });
  const { can } = usePermissions();
  const canWrite = can('alerts.write');
  const { data, failure, refetch } = useQuery(AlertSettingsDocument, {});
  useEffect(() => {
    const timer = setInterval(refetch, REFRESH_MS);
    return () => clearInterval(timer);
  }, [refetch]);
  const { tab = 'rules' } = search;
  const go = (next: AlertsSearch): void => void navigate({ search: () => ({ tab, ...next }) });
  const add = (what: 'rule' | 'channel'): ReactNode =>
    canWrite ? (
      <Button
        variant="primary"
        icon={<Plus size={16} aria-hidden />}
        onClick={() => go({ tab: what === 'rule' ? 'rules' : 'channels', create: what })}
      >
        {what === 'rule' ? 'Create rule' : 'Add channel'}
      </Button>
    ) : null;
  const changed = (): void => {
    refetch();
    go({});
  };
  return (
    <Page
      title="Alerts"
      lead="Rules watch spend, errors, latency, providers, keys and budgets every minute, and notify your channels."
      actions={tab === 'history' ? null : add(tab === 'channels' ? 'channel' : 'rule')}
    >
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      {data === null && !failure ? <SkeletonRows rows={6} /> : null}
      {data ? (
        <>
          <Tabs
            label="Alerts"
            chosen={tab}
            onChoose={(name) => go({ tab: name })}
            tabs={[
              {
                name: 'rules',
                label: 'Rules',
                content: <RuleList rules={data.alertRules} create={add('rule')} onOpen={(rule) => go({ rule })} />,
              },
              {
                name: 'channels',
                label: 'Channels',
                content: (
                  <ChannelList
                    channels={data.alertChannels}
                    create={add('channel')}
                    onOpen={(channel) => go({ channel })}
                  />
                ),
              },
              { name: 'history', label: 'History', content: <AlertHistory /> },
            ]}
          />
          <RuleDrawer
            rule={data.alertRules.find(({ id }) => id === search.rule) ?? null}
            isNew={canWrite && search.create === 'rule'}
            canWrite={canWrite}
            channels={data.alertChannels}
            onClose={() => go({})}
            onChanged={changed}
            onMuted={refetch}
          />
          <ChannelDrawer
            channel={data.alertChannels.find(({ id }) => id === search.channel) ?? null}
            canWrite={canWrite}
            onClose={() => go({})}
            onTested={() => go({ tab: 'history' })}
            onChanged={changed}
            onDeleted={changed}
          />
          <CreateChannel open={canWrite && search.create === 'channel'} onClose={() => go({})} onCreated={refetch} />
        </>
      ) : null}
    </Page>
  );
}
