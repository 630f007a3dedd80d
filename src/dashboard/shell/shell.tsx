import { Link, Outlet, useNavigate, useRouter, useRouterState } from '@tanstack/react-router';
import { BookOpen, Menu as MenuIcon, Search } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import { withoutFragment } from '../data/graphql/fragment.ts';
import { useConnection, useQuery, useSocketState } from '../data/graphql/hooks.ts';
import { Button, IconButton } from '../design/button.tsx';
import { Drawer } from '../design/overlay.tsx';
import { Failed, Skeleton, SkeletonRows } from '../design/state.tsx';
import { ViewerDocument } from '../generated/graphql.ts';
import { AccountMenu, API_REFERENCE_PATH, GUIDE_PATH, UserMenu } from './account-menu.tsx';
import { DeletionBanner } from './notices/deletion.tsx';
import { Logo } from './logo.tsx';
import { navigationEntries } from './navigation.ts';
import { useClearForeignAccount, useSession } from './session.tsx';
import { RestrictionBanner } from './notices/restriction.tsx';
import { VerificationBanner } from './notices/verification.tsx';
import { ViewerContext } from './viewer.ts';

const NoAccount = lazy(async () => ({ default: (await import('./notices/no-account.tsx')).NoAccount }));
const CommandPalette = lazy(async () => ({ default: (await import('./command-palette.tsx')).CommandPalette }));

/** The layout of all pages for signed-in users; redirects others to the sign-in. */
export function Shell(): ReactNode {
  const { generation } = useSession();
  // Remounted, so that no state of one account remains in another.
  return <SignedIn key={generation} />;
}

function SignedIn(): ReactNode {
  const { data, failure, refetch } = useQuery(ViewerDocument, {});
  const isUnauthenticated = failure?.code === 'unauthenticated';
  useSignInRedirect(isUnauthenticated);
  const { accountId, refresh } = useSession();
  const hasAccountChanged = useHasAccountChanged(data?.viewer.currentAccount.id);
  useEffect(() => {
    if (hasAccountChanged) refresh();
  }, [hasAccountChanged, refresh]);
  useRefreshOnSessionEnd(data !== null, refresh);
  const isNonMember = failure?.code === 'not_found';
  useClearForeignAccount(isNonMember);
  if (isUnauthenticated || hasAccountChanged) return <ShellSkeleton />;
  if (isNonMember && accountId === null)
    return (
      <Suspense fallback={<ShellSkeleton />}>
        <NoAccount />
      </Suspense>
    );
  if (failure && data === null && !isNonMember)
    return (
      <main className="mx-auto max-w-[640px] p-4">
        <Failed failure={failure} onRetry={refetch} />
      </main>
    );
  if (data === null) return <ShellSkeleton />;
  return (
    <ViewerContext value={data}>
      <Layout />
    </ViewerContext>
  );
}

/** Whether the account has changed: without a selection, it changes when the user's first account is deleted. */
function useHasAccountChanged(accountId: string | undefined): boolean {
  const [first, setFirst] = useState(accountId);
  if (first === undefined && accountId !== undefined) setFirst(accountId);
  return first !== undefined && accountId !== undefined && first !== accountId;
}

/** Reloads the viewer when the session ends or permissions change. @param isLoaded whether a viewer was loaded */
function useRefreshOnSessionEnd(isLoaded: boolean, refresh: () => void): void {
  const { ended } = useConnection();
  useEffect(() => (isLoaded ? ended.subscribe(refresh) : undefined), [ended, isLoaded, refresh]);
}

/** Redirects to the sign-in once, and back afterwards. The fragment is preserved. */
function useSignInRedirect(isUnauthenticated: boolean): void {
  const navigate = useNavigate();
  const router = useRouter();
  useEffect(() => {
    if (!isUnauthenticated) return;
    const { path, fragment } = withoutFragment(router.state.location.href);
    void navigate({
      to: '/sign-in',
      search: { next: path === '/' ? undefined : path },
      hash: fragment,
      replace: true,
    });
  }, [isUnauthenticated, navigate, router]);
}

function Layout(): ReactNode {
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => setMenuOpen(false), [path]);
  useEffect(() => {
    const open = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setPaletteOpen((before) => !before);
    };
    addEventListener('keydown', open);
    return () => removeEventListener('keydown', open);
  }, []);
  const search = (
    <Button
      variant="plain"
      onClick={() => setPaletteOpen(true)}
      icon={<Search size={16} aria-hidden />}
      className="w-full !justify-start !font-normal text-soft"
    >
      <span className="flex-1 text-left">Search</span>
      <kbd className="font-sans text-small max-md:hidden">{isApple() ? '⌘ K' : 'Ctrl K'}</kbd>
    </Button>
  );
  return (
    <div className="md:grid md:grid-cols-[216px_minmax(0,1fr)]">
      <a
        href="#page"
        className="sr-only focus:not-sr-only focus:fixed focus:top-1 focus:left-1 focus:z-60 focus:rounded-medium focus:bg-raised focus:px-2 focus:py-1"
      >
        Skip to content
      </a>
      <aside className="sticky top-0 flex h-dvh flex-col gap-2 [@media(max-height:960px)]:gap-1 border-r border-line bg-panel p-2 max-md:hidden">
        <AccountMenu />
        {search}
        <Navigation />
        <ConnectionStatus />
        <Documentation />
        <UserMenu />
      </aside>
      <header className="sticky top-0 z-30 flex h-7 items-center gap-1 border-b border-line bg-page px-2 md:hidden">
        <IconButton label="Menu" onClick={() => setMenuOpen(true)}>
          <MenuIcon size={20} aria-hidden />
        </IconButton>
        <Link to="/" className="flex flex-1 items-center gap-1 font-strong" aria-label="Sluice, overview">
          <Logo /> Sluice
        </Link>
        <IconButton label="Search" onClick={() => setPaletteOpen(true)}>
          <Search size={20} aria-hidden />
        </IconButton>
      </header>
      <Drawer open={isMenuOpen} onClose={() => setMenuOpen(false)} title="Sluice">
        <div className="flex flex-col gap-2">
          <AccountMenu />
          <Navigation />
          <Documentation />
          <UserMenu />
        </div>
      </Drawer>
      <main id="page" tabIndex={-1} className="min-w-0 outline-none">
        <VerificationBanner />
        <RestrictionBanner />
        <DeletionBanner />
        <Suspense fallback={<PageSkeleton />}>
          <Outlet />
        </Suspense>
      </main>
      {isPaletteOpen ? (
        <Suspense>
          <CommandPalette onClose={() => setPaletteOpen(false)} />
        </Suspense>
      ) : null}
    </div>
  );
}

function Navigation(): ReactNode {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    // In a low window, the list scrolls.
    list.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' });
  }, [path]);
  return (
    <nav ref={list} aria-label="Pages" className="min-h-0 flex-1 overflow-y-auto">
      <ul className="flex flex-col gap-0.25 md:[@media(max-height:960px)]:gap-0">
        {navigationEntries.map(({ title, to, icon: Icon, group }) => (
          <li key={to}>
            {group ? (
              <div className="px-1 pt-1 pb-0.25 text-small text-soft md:[@media(max-height:960px)]:pt-0.5 md:[@media(max-height:960px)]:pb-0">
                {group}
              </div>
            ) : null}
            <Link
              to={to}
              activeOptions={{ exact: to === '/', includeSearch: false }}
              className="flex h-3.75 items-center gap-1.25 md:[@media(max-height:960px)]:h-3 rounded-medium px-1 text-soft -outline-offset-2 hover:bg-hover hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:font-strong aria-[current=page]:text-ink max-md:h-5.5"
            >
              <Icon size={16} aria-hidden />
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** In one line, so that all pages fit into a low window. */
function Documentation(): ReactNode {
  const linkClass =
    'flex h-4 items-center gap-1.25 rounded-medium px-1 text-soft -outline-offset-2 hover:bg-hover hover:text-ink max-md:h-5.5';
  return (
    <div className="flex shrink-0 justify-between">
      <a href={GUIDE_PATH} target="_blank" rel="noreferrer" className={linkClass}>
        <BookOpen size={16} aria-hidden />
        Guide
      </a>
      <a href={API_REFERENCE_PATH} target="_blank" rel="noreferrer" aria-label="API reference" className={linkClass}>
        API
      </a>
    </div>
  );
}

/** Shows whether live events are connected. */
function ConnectionStatus(): ReactNode {
  const state = useSocketState();
  return (
    <div role="status" className="px-1 text-small text-warn empty:-mb-2">
      {state === 'dropped' ? 'Connection lost, reconnecting …' : null}
    </div>
  );
}

function ShellSkeleton(): ReactNode {
  return (
    <div className="md:grid md:grid-cols-[216px_minmax(0,1fr)]" role="status" aria-label="Loading">
      <div className="flex h-dvh flex-col gap-2 border-r border-line bg-panel p-2 max-md:hidden">
        <Skeleton className="h-5" />
        <Skeleton className="h-4.5" />
        <SkeletonRows rows={5} />
      </div>
      <PageSkeleton />
    </div>
  );
}

function PageSkeleton(): ReactNode {
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-4 px-5 pt-4 max-md:px-2">
      <Skeleton className="h-4 w-24" />
      <Skeleton className="h-30 w-full" />
      <SkeletonRows />
    </div>
  );
}

function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}
