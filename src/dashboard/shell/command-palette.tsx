import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { BookOpen, Boxes, Code, KeyRound, LogOut, Monitor, Moon, Plus, ScrollText, Sun } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useState, type ReactNode } from 'react';
import { useQuery } from '../data/graphql/hooks.ts';
import { PaletteKeysDocument, PaletteModelsDocument, PaletteRequestsDocument } from '../generated/graphql.ts';
import { modelParams } from '../pages/models/search.ts';
import { API_REFERENCE_PATH, GUIDE_PATH, useSignOut } from './account-menu.tsx';
import { usePermissions } from './permissions.ts';
import { navigationEntries } from './navigation.ts';
import { setTheme } from './theme.ts';

const MIN_SEARCH_LENGTH = 2;
/** Shorter texts are words. Request IDs must be complete. */
const MIN_REQUEST_ID_LENGTH = 8;

/** Finds pages, models, keys and actions by name. */
export function CommandPalette({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [text, setText] = useState('');
  const navigate = useNavigate();
  const signOut = useSignOut();
  const { can } = usePermissions();
  const isShort = text.trim().length < MIN_SEARCH_LENGTH;
  const keys = useQuery(PaletteKeysDocument, { search: text }, { pause: isShort || !can('keys.read') });
  const models = useQuery(PaletteModelsDocument, { search: text }, { pause: isShort });
  const requestId = text.trim();
  const requests = useQuery(
    PaletteRequestsDocument,
    { requestId },
    { pause: requestId.length < MIN_REQUEST_ID_LENGTH || requestId.includes(' ') || !can('usage.read') },
  );
  const foundRequests = requests.data?.usageLogs.nodes.filter((each) => each.requestId === requestId) ?? [];
  const foundKeys = isShort ? [] : (keys.data?.apiKeys.nodes ?? []);
  const foundModels = isShort ? [] : (models.data?.models.nodes ?? []);
  const run = (act: () => unknown) => () => {
    onClose();
    act();
  };
  return (
    <Dialog.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-overlay animate-fade" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-50 w-[min(600px,calc(100vw-16px))] -translate-x-1/2 overflow-hidden rounded-large border border-line bg-raised shadow-float outline-none max-md:top-1"
        >
          <Dialog.Title className="sr-only">Command palette</Dialog.Title>
          <Command label="Command palette" loop>
            <Command.Input
              value={text}
              onValueChange={setText}
              placeholder="Search pages, models, keys, request IDs and actions …"
              className="h-6 w-full border-b border-line bg-transparent px-2 text-[16px] outline-none placeholder:text-soft"
            />
            <Command.List className="max-h-[min(400px,60dvh)] overflow-y-auto p-1">
              <Command.Empty className="p-2 text-soft">No results.</Command.Empty>
              <Group title="Pages">
                {navigationEntries.map(({ title, to, icon: Icon }) => (
                  <Item key={to} onSelect={run(() => navigate({ to }))} icon={<Icon size={16} aria-hidden />}>
                    {title}
                  </Item>
                ))}
              </Group>
              {foundRequests.length > 0 ? (
                <Group title="Requests">
                  {foundRequests.map(({ id, model }) => (
                    <Item
                      key={id}
                      value={`request ${text} ${id}`}
                      onSelect={run(() => navigate({ to: '/billing/usage', search: { requestId, log: id } }))}
                      icon={<ScrollText size={16} aria-hidden />}
                    >
                      {requestId} <span className="text-soft">{model}</span>
                    </Item>
                  ))}
                </Group>
              ) : null}
              {foundKeys.length > 0 ? (
                <Group title="API Keys">
                  {foundKeys.map(({ id, name, hint }) => (
                    <Item
                      key={id}
                      value={`key ${name} ${id}`}
                      onSelect={run(() => navigate({ to: '/keys', search: { key: id } }))}
                      icon={<KeyRound size={16} aria-hidden />}
                    >
                      {name} <span className="text-soft">{hint}</span>
                    </Item>
                  ))}
                </Group>
              ) : null}
              {foundModels.length > 0 ? (
                <Group title="Models">
                  {foundModels.map(({ id, name }) => (
                    <Item
                      key={id}
                      value={`model ${name} ${id}`}
                      onSelect={run(() => navigate({ to: '/models/$provider/$', params: modelParams(id) }))}
                      icon={<Boxes size={16} aria-hidden />}
                    >
                      {name} <span className="text-soft">{id}</span>
                    </Item>
                  ))}
                </Group>
              ) : null}
              <Group title="Actions">
                {can('keys.write') ? (
                  <Item
                    onSelect={run(() => navigate({ to: '/keys', search: { create: true } }))}
                    icon={<Plus size={16} aria-hidden />}
                  >
                    Create Key
                  </Item>
                ) : null}
                <Item
                  onSelect={run(() => void window.open(GUIDE_PATH, '_blank', 'noreferrer'))}
                  icon={<BookOpen size={16} aria-hidden />}
                >
                  Guide
                </Item>
                <Item
                  onSelect={run(() => void window.open(API_REFERENCE_PATH, '_blank', 'noreferrer'))}
                  icon={<Code size={16} aria-hidden />}
                >
                  API reference
                </Item>
                <Item onSelect={run(() => setTheme('light'))} icon={<Sun size={16} aria-hidden />}>
                  Light theme
                </Item>
                <Item onSelect={run(() => setTheme('dark'))} icon={<Moon size={16} aria-hidden />}>
                  Dark theme
                </Item>
                <Item onSelect={run(() => setTheme('system'))} icon={<Monitor size={16} aria-hidden />}>
                  System theme
                </Item>
                <Item onSelect={run(signOut)} icon={<LogOut size={16} aria-hidden />}>
                  Sign out
                </Item>
              </Group>
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  return (
    <Command.Group
      heading={title}
      className="mb-1 [&_[cmdk-group-heading]]:px-1 [&_[cmdk-group-heading]]:py-0.5 [&_[cmdk-group-heading]]:text-small [&_[cmdk-group-heading]]:text-soft"
    >
      {children}
    </Command.Group>
  );
}

function Item({
  icon,
  children,
  value,
  onSelect,
}: {
  readonly icon: ReactNode;
  readonly children: ReactNode;
  readonly value?: string;
  readonly onSelect: () => void;
}): ReactNode {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex min-h-4.5 cursor-pointer items-center gap-1.25 rounded-small px-1 py-0.5 data-[selected=true]:bg-hover"
    >
      {icon}
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </Command.Item>
  );
}
