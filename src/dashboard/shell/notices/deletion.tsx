import { Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { Time } from '../../design/time.tsx';
import { useToast } from '../../design/toast.tsx';
import { CancelAccountDeletionDocument } from '../../generated/graphql.ts';
import { usePermissions } from '../permissions.ts';
import { useViewer } from '../viewer.ts';

/** Shown above every page of a deleted account that is not erased yet. */
export function DeletionBanner(): ReactNode {
  const { currentAccount } = useViewer();
  const { can } = usePermissions();
  const [restore, pending] = useMutation(CancelAccountDeletionDocument);
  const toast = useToast();
  if (!currentAccount.erasedAfter) return null;
  const submit = async (): Promise<void> => {
    const { failure } = await restore({});
    if (failure) toast.failed(failure);
    else toast.done(`${currentAccount.name} is restored. Its keys work again.`);
  };
  return (
    <aside
      aria-label="The account is deleted"
      className="flex flex-wrap items-center gap-x-2 gap-y-1 bg-bad-wash px-5 py-1 text-bad max-md:px-2"
    >
      <Trash2 size={16} aria-hidden className="shrink-0" />
      <p className="min-w-24 flex-1">
        {currentAccount.name} is deleted, and its keys are rejected. It will be erased on{' '}
        <Time at={currentAccount.erasedAfter} as="date" />
        {can('account.delete') ? '.' : '. Until then an owner can restore it.'}
      </p>
      {can('account.delete') ? (
        <Button pending={pending} onClick={() => void submit()}>
          Restore account
        </Button>
      ) : null}
    </aside>
  );
}
