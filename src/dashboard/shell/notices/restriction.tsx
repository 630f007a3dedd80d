import { Link } from '@tanstack/react-router';
import { ShieldAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useViewer } from '../viewer.ts';

/** Shown above every page of an account that waits for approval. `VerificationBanner` covers unverified addresses. */
export function RestrictionBanner(): ReactNode {
  const { currentAccount } = useViewer();
  if (currentAccount.spendingRestriction !== 'APPROVAL') return null;
  return (
    <aside
      aria-label="The account waits for approval"
      className="flex flex-wrap items-center gap-x-2 gap-y-1 bg-warn-wash px-5 py-1 text-warn max-md:px-2"
    >
      <ShieldAlert size={16} aria-hidden className="shrink-0" />
      <p className="min-w-24 flex-1">
        The operator of this server must approve this account before it can use the operator’s providers. Until then it
        can use{' '}
        <Link to="/providers" className="underline underline-offset-2">
          providers that you connect
        </Link>{' '}
        with an API key of your own, and sandbox models where this server has them.
      </p>
    </aside>
  );
}
