import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useQuery } from '../../../data/graphql/hooks.ts';
import { isObject } from '../../../data/json.ts';
import { Failed, SkeletonRows } from '../../../design/state.tsx';
import { RequestReplayDocument } from '../../../generated/graphql.ts';
import type { OpenedReplay } from './replay-notice.tsx';

/** A logged request that can be sent again. */
export interface Replay extends OpenedReplay {
  readonly model: string;
  readonly messages: readonly unknown[];
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Loads a logged request as a chat. @param children renders it */
export function LoadedReplay({
  id,
  children,
}: {
  /** Of the usage log. */
  readonly id: string;
  readonly children: (replay: Replay) => ReactNode;
}): ReactNode {
  const { data, failure, refetch } = useQuery(RequestReplayDocument, { id }, { policy: 'network-only' });
  const replay = data?.requestReplay;
  if (failure) return <Failed failure={failure} onRetry={refetch} />;
  if (replay === undefined) return <SkeletonRows rows={8} />;
  if (replay === null) return <Refused id={id}>Request not found in this account.</Refused>;
  const { model, messages, parameters, dropped, redactions, conversionError } = replay;
  if (!Array.isArray(messages) || !isObject(parameters))
    return <Refused id={id}>This request cannot be sent again. {conversionError}</Refused>;
  return children({ id, model, messages, parameters, lacking: dropped, redactions });
}

function Refused({ id, children }: { readonly id: string; readonly children: ReactNode }): ReactNode {
  return (
    <div role="alert" className="flex flex-col gap-1 rounded-medium bg-panel p-2">
      <p className="wrap-anywhere">{children}</p>
      <p>
        <Link to="/billing/usage" search={{ log: id }} className="text-accent underline underline-offset-2">
          Show the request in the usage log
        </Link>
      </p>
    </div>
  );
}
