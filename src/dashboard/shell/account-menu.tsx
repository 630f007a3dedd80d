import { useNavigate } from '@tanstack/react-router';
import { BookOpen, ChevronsUpDown, CircleUser, Code, LogOut, Monitor, Moon, Plus, Settings, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMutation, useConnection } from '../data/graphql/hooks.ts';
import { words } from '../design/format.ts';
import { Menu } from '../design/menu.tsx';
import { useToast } from '../design/toast.tsx';
import { SignOutDocument } from '../generated/graphql.ts';
import { Logo } from './logo.tsx';
import { useSession } from './session.tsx';
import { setTheme, themes, useTheme } from './theme.ts';
import { useViewer } from './viewer.ts';

/** This server's documentation. */
export const GUIDE_PATH = '/docs/guide';
export const API_REFERENCE_PATH = '/docs';
const icons = { system: Monitor, light: Sun, dark: Moon };

/** Selects the account. */
export function AccountMenu(): ReactNode {
  const { accounts, currentAccount } = useViewer();
  const { selectAccount } = useSession();
  const navigate = useNavigate();
  const current = accounts.find(({ accountId }) => accountId === currentAccount.id);
  return (
    <Menu
      trigger={
        <button
          type="button"
          className="flex min-h-5 w-full shrink-0 items-center gap-1 rounded-medium px-0.5 py-0.5 text-left -outline-offset-2 hover:bg-hover max-md:min-h-6"
        >
          <Logo />
          <span className="min-w-0 flex-1">
            <span className="line-clamp-2 font-strong wrap-anywhere">{currentAccount.name}</span>
          </span>
          <ChevronsUpDown size={16} aria-hidden className="shrink-0 text-soft" />
        </button>
      }
      groups={[
        {
          title: 'Accounts',
          items: [
            ...accounts.map((each) => ({
              label: `${each.accountName} · ${each.erasedAfter ? 'deleted' : words(each.role)}`,
              checked: each === current,
              onSelect: () => selectAccount(each.accountId),
            })),
            {
              label: 'New account',
              icon: <Plus size={16} aria-hidden />,
              onSelect: () => void navigate({ to: '/settings', search: { tab: 'account', create: true } }),
            },
          ],
        },
      ]}
    />
  );
}

/** The signed-in user, with settings, documentation and sign-out. */
export function UserMenu(): ReactNode {
  const { user } = useViewer();
  const theme = useTheme();
  const signOut = useSignOut();
  const navigate = useNavigate();
  const email = user?.email ?? '';
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={`Account menu: ${email}`}
          title={email}
          className="flex min-h-5 w-full shrink-0 items-center gap-1 rounded-medium px-0.5 py-0.5 text-left -outline-offset-2 hover:bg-hover max-md:min-h-6"
        >
          <CircleUser size={20} aria-hidden className="shrink-0 text-soft" />
          <span className="line-clamp-2 min-w-0 flex-1 text-small wrap-anywhere">{email}</span>
          <ChevronsUpDown size={16} aria-hidden className="shrink-0 text-soft" />
        </button>
      }
      groups={[
        {
          title: email,
          items: [
            {
              label: 'Profile and sign-in',
              icon: <Settings size={16} aria-hidden />,
              onSelect: () => void navigate({ to: '/settings' }),
            },
            { label: 'Guide', icon: <BookOpen size={16} aria-hidden />, href: GUIDE_PATH },
            { label: 'API reference', icon: <Code size={16} aria-hidden />, href: API_REFERENCE_PATH },
          ],
        },
        {
          title: 'Theme',
          items: themes.map((each) => {
            const Icon = icons[each];
            return {
              label: words(each),
              icon: <Icon size={16} aria-hidden />,
              checked: each === theme,
              onSelect: () => setTheme(each),
            };
          }),
        },
        {
          items: [{ label: 'Sign out', icon: <LogOut size={16} aria-hidden />, onSelect: () => void signOut() }],
        },
      ]}
    />
  );
}

export function useSignOut(): () => Promise<void> {
  const [signOut] = useMutation(SignOutDocument);
  const { startSignOut } = useConnection();
  const { refresh, clear } = useSession();
  const toast = useToast();
  const navigate = useNavigate();
  return async () => {
    startSignOut();
    const { failure } = await signOut({});
    if (failure) {
      refresh();
      toast.failed(failure);
      return;
    }
    await navigate({ to: '/sign-in' });
    clear();
  };
}
