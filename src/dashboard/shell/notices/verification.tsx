import { MailWarning } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { useToast } from '../../design/toast.tsx';
import { RequestVerificationDocument } from '../../generated/graphql.ts';
import { useViewer, useViewerQuery } from '../viewer.ts';

/** Shown above every page until the e-mail address is verified. */
export function VerificationBanner(): ReactNode {
  const { user, currentAccount } = useViewer();
  const { sendsMail } = useViewerQuery().signInOptions;
  if (!user || user.emailVerified) return null;

  return (
    <aside
      aria-label="Confirm your address"
      className="flex flex-wrap items-center gap-x-2 gap-y-1 bg-warn-wash px-5 py-1 text-warn max-md:px-2"
    >
      <MailWarning size={16} aria-hidden className="shrink-0" />
      <p className="min-w-24 flex-1">
        {sendsMail ? (
          <>
            Confirm your e-mail address with the link that was sent to <span className="font-strong">{user.email}</span>
            .
          </>
        ) : (
          <>
            The address <span className="font-strong">{user.email}</span> is not confirmed. This server sends no mail:
            its operator finds the link in the folder <code>mail</code> of the data folder.
          </>
        )}
        {currentAccount.spendingRestriction === 'VERIFICATION'
          ? ' Until an owner’s address is confirmed, the account can use providers that you connect with an API key of your own, and sandbox models where this server has them.'
          : null}
      </p>
      <SendAgain to={user.email} />
    </aside>
  );
}

export function SendAgain({ to }: { readonly to: string }): ReactNode {
  const [request, pending] = useMutation(RequestVerificationDocument);
  const { sendsMail } = useViewerQuery().signInOptions;
  const toast = useToast();
  const send = async (): Promise<void> => {
    const { failure } = await request({});
    if (failure) toast.failed(failure);
    else if (sendsMail) toast.done(`A new link was sent to ${to}.`);
    else toast.done('A new link is in the folder `mail` of the server’s data folder. Ask its operator for it.');
  };
  return (
    <Button pending={pending} onClick={() => void send()}>
      Get a new link
    </Button>
  );
}
