import { Link } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import { isObject } from '../../data/json.ts';
import { fileSize } from '../../design/format.ts';
import { Drawer } from '../../design/overlay.tsx';
import { Facts } from '../../design/page.tsx';
import { Time } from '../../design/time.tsx';
import { BodyView } from '../usage-logs/content/turn-list.tsx';
import { readRequest, readResponse } from '../usage-logs/content/turns.ts';
import type { Item } from './dataset-items.tsx';

/** The content of an item. */
export function DatasetItemDrawer({
  item,
  onClose,
}: {
  readonly item: Item | null;
  readonly onClose: () => void;
}): ReactNode {
  return (
    <Drawer open={item !== null} onClose={onClose} title="Item">
      {item ? <Content item={item} /> : null}
    </Drawer>
  );
}

function Content({ item }: { readonly item: Item }): ReactNode {
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
    ...(dropped.length === 0 ? [] : [['Not carried', dropped.join(', ')] as const]),
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
