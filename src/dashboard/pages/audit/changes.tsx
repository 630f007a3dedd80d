import type { ReactNode } from 'react';
import type { AuditRowFragment } from '../../generated/graphql.ts';
import { listChange, nameOf, textOf } from './list-change.ts';

type Change = AuditRowFragment['changes'][number];

/** The changed fields with their values before and after. Secrets have no values. */
export function Changes({ changes }: { readonly changes: readonly Change[] }): ReactNode {
  if (changes.length === 0) return <p className="text-soft">No values were changed.</p>;
  return (
    <dl aria-label="Changes" className="flex flex-col gap-1.5">
      {changes.map((change) => (
        <div key={change.field}>
          <dt className="text-soft">{nameOf(change.field)}</dt>
          <dd className="mt-0.5 overflow-hidden rounded-medium font-mono text-small">
            <Values change={change} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Values({ change: { before, after } }: { readonly change: Change }): ReactNode {
  if (before == null && after == null)
    return <p className="bg-panel px-1 py-0.5 text-soft">Changed. The value is secret.</p>;
  const list = listChange(before, after);
  const removed = list ? list.removed : before == null ? [] : [textOf(before)];
  const added = list ? list.added : after == null ? [] : [textOf(after)];
  return (
    <>
      {removed.map((text, index) => (
        // A list may contain equal items.
        // oxlint-disable-next-line react/no-array-index-key
        <Line key={index} sign="−" name={list ? 'removed' : 'before'} text={text} className="bg-bad-wash text-bad" />
      ))}
      {added.map((text, index) => (
        // oxlint-disable-next-line react/no-array-index-key
        <Line key={index} sign="+" name={list ? 'added' : 'after'} text={text} className="bg-good-wash text-good" />
      ))}
      {list && list.unchanged > 0 ? (
        <p className="bg-panel px-1 py-0.5 text-soft">Unchanged: {list.unchanged}</p>
      ) : null}
    </>
  );
}

function Line({
  sign,
  name,
  text,
  className,
}: {
  readonly sign: string;
  readonly name: string;
  readonly text: string;
  readonly className: string;
}): ReactNode {
  return (
    <div className={`flex gap-1 px-1 py-0.5 ${className}`}>
      <span aria-hidden>{sign}</span>
      <span className="sr-only">{name}:</span>
      <span className="min-w-0 break-words whitespace-pre-wrap">{text}</span>
    </div>
  );
}
