import type { ReactNode } from 'react';
import { Badge } from '../../design/badge.tsx';
import { BreakableId } from '../../design/breakable-id.tsx';
import { fileSize } from '../../design/format.ts';
import { Time } from '../../design/time.tsx';
import type { DatasetItemPartsFragment } from '../../generated/graphql.ts';
import { promptText } from '../comparator/prompt.tsx';
import { outputText } from './output-text.ts';

const MAX_PREVIEW = 300;

/** The items with the beginning of their input and output. */
export function DatasetItems({
  items,
  selected,
  onSelected,
  onOpen,
}: {
  readonly items: readonly DatasetItemPartsFragment[];
  /** Null where items cannot be selected. */
  readonly selected: ReadonlySet<string> | null;
  readonly onSelected: (selected: ReadonlySet<string>) => void;
  readonly onOpen: (id: string) => void;
}): ReactNode {
  const toggle = (id: string): void => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    onSelected(next);
  };
  return (
    <ul aria-label="Items" className="flex flex-col">
      {items.map((item) => (
        <li key={item.id} className="relative flex gap-1.5 border-t border-line px-1 py-1.5 hover:bg-hover">
          {selected === null ? null : (
            <input
              type="checkbox"
              aria-label={`Select the item ${preview(item.messages)}`}
              checked={selected.has(item.id)}
              onChange={() => toggle(item.id)}
              className="relative z-10 mt-0.5 size-2 shrink-0 accent-accent max-md:size-3"
            />
          )}
          <div className="flex min-w-0 flex-1 flex-col gap-0.5">
            <button
              type="button"
              onClick={() => onOpen(item.id)}
              className="line-clamp-2 text-left wrap-anywhere font-strong -outline-offset-2 after:absolute after:inset-0"
            >
              {preview(item.messages)}
            </button>
            <p className="line-clamp-2 wrap-anywhere text-soft">{outputText(item.output).slice(0, MAX_PREVIEW)}</p>
            <p className="figures flex flex-wrap items-center gap-x-1 text-small text-soft">
              {item.model == null ? null : <BreakableId id={item.model} />}
              {item.requestedAt == null ? null : <Time at={item.requestedAt} />}
              <span>{fileSize(item.bytes)}</span>
              {item.redactions.length > 0 ? <Badge>Redacted</Badge> : null}
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}

function preview(messages: unknown): string {
  if (messages === null) return 'This item cannot be decrypted.';
  return promptText({ messages }).slice(0, MAX_PREVIEW) || 'No text';
}
