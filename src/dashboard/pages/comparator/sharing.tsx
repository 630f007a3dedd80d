import { useState, type ReactNode } from 'react';
import { useMutation } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { CopyLine } from '../../design/code.tsx';
import { useToast } from '../../design/toast.tsx';
import { ShareComparisonDocument, UnshareComparisonDocument } from '../../generated/graphql.ts';

/** Creates a public link. It is shown once, because the server stores only its hash. */
export function Sharing({
  id,
  isShared,
  onChanged,
}: {
  readonly id: string;
  readonly isShared: boolean;
  readonly onChanged: () => void;
}): ReactNode {
  const [link, setLink] = useState<string | null>(null);
  const [share, isSharing] = useMutation(ShareComparisonDocument);
  const [unshare, isEnding] = useMutation(UnshareComparisonDocument);
  const toast = useToast();
  const createLink = async (): Promise<void> => {
    const { data, failure } = await share({ id });
    if (failure) toast.failed(failure);
    // The token is in the fragment, which browsers do not send, so no log contains it.
    else setLink(`${location.origin}/shared/comparison#${data.shareComparison.token}`);
    onChanged();
  };
  const revokeLink = async (): Promise<void> => {
    const { failure } = await unshare({ id });
    if (failure) toast.failed(failure);
    else {
      setLink(null);
      toast.done('Link revoked.');
    }
  };
  return (
    <div className="flex flex-col gap-2">
      <p className="text-soft">
        Anyone with the link can read the prompt, the responses and their cost without signing in. The account is not
        shown.
      </p>
      {link ? <CopyLine text={link} label="Copy the link" /> : null}
      <div className="flex flex-wrap gap-1">
        {link ? null : (
          <Button variant="primary" pending={isSharing} onClick={() => void createLink()}>
            {isShared ? 'Create new link' : 'Create link'}
          </Button>
        )}
        {isShared || link ? (
          <Button variant="danger" pending={isEnding} onClick={() => void revokeLink()}>
            Revoke link
          </Button>
        ) : null}
      </div>
      {isShared && !link ? <p className="text-small text-soft">A new link revokes the previous one.</p> : null}
    </div>
  );
}
