import { useState, type ReactNode } from 'react';
import { useChange } from '../../data/hooks.ts';
import { Button } from '../../design/button.tsx';
import { CopyLine } from '../../design/code.tsx';
import { useToast } from '../../design/toast.tsx';
import { ShareComparisonDocument, UnshareComparisonDocument } from '../../generated/graphql.ts';

/** A link for anybody. It is shown once: the server keeps its hash alone. */
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
  const [share, isSharing] = useChange(ShareComparisonDocument);
  const [unshare, isEnding] = useChange(UnshareComparisonDocument);
  const tell = useToast();
  const make = async (): Promise<void> => {
    const { data, failure } = await share({ id });
    if (failure) tell.failed(failure);
    // Behind the #: no server's log holds it.
    else setLink(`${location.origin}/shared/comparison#${data.shareComparison.token}`);
    onChanged();
  };
  const end = async (): Promise<void> => {
    const { failure } = await unshare({ id });
    if (failure) tell.failed(failure);
    else {
      setLink(null);
      tell.done('The link is revoked.');
    }
  };
  return (
    <div className="flex flex-col gap-2">
      <p className="text-soft">
        Whoever has the link can read the question, the answers and what they cost, without signing in. It does not say
        whose it is.
      </p>
      {link ? <CopyLine text={link} label="Copy the link" /> : null}
      <div className="flex flex-wrap gap-1">
        {link ? null : (
          <Button look="primary" pending={isSharing} onClick={() => void make()}>
            {isShared ? 'Make a new link' : 'Make a link'}
          </Button>
        )}
        {isShared || link ? (
          <Button look="danger" pending={isEnding} onClick={() => void end()}>
            Revoke the link
          </Button>
        ) : null}
      </div>
      {isShared && !link ? <p className="text-small text-soft">A new link ends the one before.</p> : null}
    </div>
  );
}
