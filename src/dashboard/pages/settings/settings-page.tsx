import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useQuery } from '../../data/graphql/hooks.ts';
import { FormAlert } from '../../design/form.tsx';
import { Page } from '../../design/page.tsx';
import { Failed, SkeletonRows } from '../../design/state.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { SettingsDocument } from '../../generated/graphql.ts';
import { signInErrorMessage } from '../sign-in/error-messages.ts';
import { AccountLifecycle } from './account-lifecycle.tsx';
import { AccountSettings } from './account.tsx';
import { ContentLogging } from './content-logging/content-logging.tsx';
import { Approvals } from './approvals.tsx';
import { FailedRefunds } from './failed-refunds.tsx';
import { Identities } from './sign-in/identities.tsx';
import { Password } from './sign-in/password.tsx';
import { Profile } from './profile.tsx';
import { Sessions } from './sign-in/sessions.tsx';
import { TwoFactor } from './sign-in/two-factor.tsx';
import { UsageArchives } from './usage-archives.tsx';

export function SettingsPage(): ReactNode {
  const { tab, error } = useSearch({ from: '/shell/settings' });
  const navigate = useNavigate({ from: '/settings' });
  const { data, failure, refetch } = useQuery(SettingsDocument, {});
  const user = data?.viewer.user;
  const providers = data?.signInOptions.providers ?? [];
  const placeholder = failure ? null : <SkeletonRows rows={8} />;
  return (
    <Page title="Settings" lead="Your profile, sign-in methods and this account.">
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      <FormAlert text={signInErrorMessage(error)} />
      <Tabs
        label="Settings"
        chosen={tab ?? (error ? 'security' : 'profile')}
        onChoose={(chosen) => void navigate({ search: { tab: chosen === 'profile' ? undefined : chosen } })}
        tabs={[
          { name: 'profile', label: 'Profile', content: <Tab>{user ? <Profile user={user} /> : placeholder}</Tab> },
          {
            name: 'security',
            label: 'Sign-in',
            content: (
              <Tab>
                {user ? (
                  <>
                    <Password user={user} />
                    <TwoFactor user={user} onChanged={refetch} />
                    <Identities user={user} providers={providers} />
                  </>
                ) : (
                  placeholder
                )}
              </Tab>
            ),
          },
          {
            name: 'sessions',
            label: 'Sessions',
            content: (
              <Tab>
                <Sessions />
              </Tab>
            ),
          },
          {
            name: 'account',
            label: 'Account',
            content: (
              <Tab>
                <AccountSettings />
                <Approvals />
                <FailedRefunds />
                <UsageArchives />
                <AccountLifecycle />
              </Tab>
            ),
          },
          {
            name: 'content',
            label: 'Content',
            content: (
              <Tab>
                <ContentLogging />
              </Tab>
            ),
          },
        ]}
      />
    </Page>
  );
}

function Tab({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className="flex max-w-[720px] flex-col gap-5 pt-3">{children}</div>;
}
