import { Link } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import { isObject } from '../../data/json.ts';
import { useQuery } from '../../data/graphql/hooks.ts';
import { fileSize } from '../../design/format.ts';
import { Drawer } from '../../design/overlay.tsx';
import { Facts } from '../../design/page.tsx';
import { Failed, SkeletonRows } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { DatasetItemDocument, type DatasetItemPartsFragment } from '../../generated/graphql.ts';
import { BodyView } from '../usage-logs/content/turn-list.tsx';
import { readRequest, readResponse } from '../usage-logs/content/turns.ts';

/** The content of an item. */
export function DatasetItemDrawer({
  id,
  items,
  onClose,
}: {
  /** Undefined where none is open. */
  readonly id: string | undefined;
  /** Those that are loaded; null until they are. */
  readonly items: readonly DatasetItemPartsFragment[] | null;
  readonly onClose: () => void;
}): ReactNode {
  const item = items?.find((each) => each.id === id);
  return (
    <Drawer open={id !== undefined && items !== null} onClose={onClose} title="Item">
      {item ? <Content item={item} /> : id === undefined ? null : <LoadedItem key={id} id={id} />}
    </Drawer>
  );
}

/** An item of a link that is not in the loaded pages. */
function LoadedItem({ id }: { readonly id: string }): ReactNode {
  const { data, failure, refetch } = useQuery(DatasetItemDocument, { id });
  if (failure) return <Failed failure={failure} onRetry={refetch} />;
  if (data === null) return <SkeletonRows rows={4} />;
  const { node } = data;
  return node?.__typename === 'DatasetItem' ? (
    <Content item={node} />
  ) : (
    <p className="text-soft">Item not found in this account. It may have been removed.</p>
  );
}

function Content({ item }: { readonly item: DatasetItemPartsFragment }): ReactNode {
  const { usageLogId, bytes, createdAt, messages, parameters, output, model, requestedAt, redactions, dropped } = item;
  const input = useMemo(
    () => readRequest({ ...(isObject(parameters) ? parameters : {}), messages }),
    [messages, parameters],
  );
  const answer = useMemo(() => (output === null ? null : readResponse({ choices: [{ message: output }] })), [output]);
  const facts: (readonly [string, ReactNode])[] = [
    ...(model == null ? [] : [['Model', model] as const]),
    ...(requestedAt == null ? [] : [['Requested', <Time key="requested" at={requestedAt} />] as const]),
    ['Added', <Time key="added" at={createdAt} />],
    ['Size', fileSize(bytes)],
    [
      'Request',
      <Link
        key="request"
        to="/billing/usage"
        search={{ log: usageLogId }}
        className="text-accent underline underline-offset-2"
      >
        Usage log
      </Link>,
    ],
    ...(redactions.length === 0
      ? []
      : [['Replaced', redactions.map(({ name, count }) => `${name} ${count}`).join(', ')] as const]),
    ...(dropped.length === 0 ? [] : [['Not included', dropped.join(', ')] as const]),
  ];
  return (
    <div className="flex min-w-0 flex-col gap-3 wrap-anywhere">
      <Facts facts={facts} />
      {messages === null ? (
        <p className="text-soft">This item cannot be decrypted: the secret of the server changed.</p>
      ) : (
        <>
          <BodyView label="Input" body={input} />
          {answer === null ? (
            <p className="text-soft">The request had no output.</p>
          ) : (
            <BodyView label="Output" body={answer} />
          )}
        </>
      )}
    </div>
  );
}
