import { useRouter } from '@tanstack/react-router';
import { useEffect, type ReactNode } from 'react';
import { Logo } from '../../shell/logo.tsx';
import { useSession } from '../../shell/session.tsx';

/** The layout of the pages outside the shell. */
export function AuthPage({
  title,
  lead,
  children,
}: {
  readonly title: string;
  readonly lead: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  useEffect(() => {
    document.title = `${title} · Sluice`;
  }, [title]);
  return (
    <main className="flex min-h-dvh flex-col items-center px-2 pt-[max(32px,14dvh)] pb-4">
      <div className="flex w-full max-w-[360px] flex-col gap-4">
        <header className="flex flex-col gap-2">
          <Logo size={40} />
          <div>
            <h1 className="text-huge tracking-[-0.01em]">{title}</h1>
            <p className="mt-0.5 text-soft">{lead}</p>
          </div>
        </header>
        {children}
      </div>
    </main>
  );
}

export const authLinkClass = 'text-accent underline underline-offset-2';

/** Clears cached data of the earlier session and opens `next`. */
export function useEnterDashboard(): (next: string | undefined) => void {
  const { refresh } = useSession();
  const { history } = useRouter();
  return (next) => {
    refresh();
    history.push(next ?? '/');
  };
}
