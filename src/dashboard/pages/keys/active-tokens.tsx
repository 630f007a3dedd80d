import { useState, type ReactNode } from 'react';
import { useMutation, type QueryResult } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { words } from '../../design/format.ts';
import { Failed, SkeletonRows } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { useToast } from '../../design/toast.tsx';
import { RevokeAccessTokenDocument, type AccessTokensQuery } from '../../generated/graphql.ts';

type Token = AccessTokensQuery['accessTokens']['nodes'][number];

/** The active tokens of a key. */
export function ActiveTokens({
  tokens: { data, failure, refetch },
}: {
  readonly tokens: QueryResult<AccessTokensQuery>;
}): ReactNode {
  if (failure) return <Failed failure={failure} onRetry={refetch} />;
  if (!data) return <SkeletonRows rows={2} />;
  const { nodes, pageInfo } = data.accessTokens;
  if (nodes.length === 0) return <p className="text-soft">This key has no active tokens.</p>;
  return (
    <>
      <ul aria-label="Access tokens" className="flex flex-col">
        {nodes.map((token) => (
          <Row key={token.id} token={token} onRevoked={refetch} />
        ))}
      </ul>
      {pageInfo.hasNextPage ? (
        <p className="text-soft">The newest {nodes.length} tokens are shown. To revoke all, revoke the key.</p>
      ) : null}
    </>
  );
}

function Row({ token, onRevoked }: { readonly token: Token; readonly onRevoked: () => void }): ReactNode {
  const { id, scopes, createdAt, expiresAt, createdBy } = token;
  const [revoke, pending] = useMutation(RevokeAccessTokenDocument);
  const [isRevoked, setRevoked] = useState(false);
  const toast = useToast();
  const run = async (): Promise<void> => {
    const { failure } = await revoke({ id });
    if (failure) toast.failed(failure);
    else {
      setRevoked(true);
      toast.done('Token revoked.');
      onRevoked();
    }
  };
  return (
    <li className="flex items-center gap-2 border-t border-line py-1.5">
      <div className="min-w-0 flex-1">
        <div className="font-strong">{scopes.map(words).join(', ')}</div>
        <div className="text-soft">
          Created <Time at={createdAt} as="relative" />
          {createdBy ? ` by ${createdBy.name}` : ''}, expires <Time at={expiresAt} />
        </div>
      </div>
      <Button variant="danger" pending={pending} disabled={isRevoked} onClick={() => void run()}>
        Revoke
      </Button>
    </li>
  );
}
