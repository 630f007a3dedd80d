import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useSelectionColumn, type LogSelection } from '../dataset/selection.tsx';
import { VirtualRows, type Column, type RowHeights } from '../../../design/rows.tsx';
import type { LogRow } from '../log-columns.tsx';
import type { LogSort } from '../search.ts';
import type { LogRows } from '../use-log-rows.ts';
import { nextSort, type Density, type LogView } from './log-view.ts';

/** Compact rows have small text, of which two lines fit as well. */
const heights: Readonly<Record<Density, RowHeights>> = {
  comfortable: { phone: 64, tablet: 64, desktop: 44 },
  compact: { phone: 52, tablet: 52, desktop: 36 },
};
/** Rows of this age in ms do not arrive any more when they are scrolled into view. */
const NEW_MS = 1_000;

/** The rows, with the chosen columns. Where these need more room than there is, it scrolls sideways. */
export function LogTable({
  logs,
  view,
  sort,
  opened,
  selection,
  onOpen,
  onSort,
  onHold,
}: {
  readonly logs: LogRows;
  readonly view: LogView;
  readonly sort: LogSort;
  readonly opened: string | null;
  readonly selection: LogSelection;
  readonly onOpen: (row: LogRow) => void;
  readonly onSort: (sort: LogSort) => void;
  /** Whether the table is being read: rows should not move. */
  readonly onHold: (isHeld: boolean) => void;
}): ReactNode {
  const boxes = useSelectionColumn(selection);
  const columns = useMemo(() => [...(boxes === null ? [] : [boxes]), ...fitted(view, sort)], [boxes, view, sort]);
  const holder = useHold(onHold);
  const isNew = useArrivals(logs);
  const [by = 'time'] = sort.split('_');
  const text = view.density === 'compact' ? 'text-small' : '';
  return (
    <div {...holder} role="region" aria-label="Request log" className={`overflow-x-auto ${text}`}>
      <div className="lg:min-w-(--min)" style={{ '--min': `${view.minPx}px` } as Record<string, string>}>
        <VirtualRows
          label="Requests"
          rows={logs.rows}
          columns={columns}
          keyOf={({ id }) => id}
          onOpen={onOpen}
          onNearEnd={logs.fetchMore}
          opened={opened}
          isNew={isNew}
          heights={heights[view.density]}
          sort={{ by, descends: sort.endsWith('_desc'), onSort: (next) => onSort(nextSort(sort, next)) }}
        />
      </div>
    </div>
  );
}

/** Narrow pages show the model and one figure: that of the order, or the cost. */
function fitted({ columns }: LogView, sort: LogSort): readonly Column<LogRow>[] {
  const [by] = sort.split('_');
  const figure =
    columns.find((column) => column.sort === by && by !== 'time') ?? columns.find(({ name }) => name === 'cost');
  return columns.map((column) => ({ ...column, wide: column.name !== 'model' && column !== figure }));
}

/** Held while the mouse is over the rows, a row has the focus of the keyboard, or the list is scrolled. */
function useHold(onHold: (isHeld: boolean) => void) {
  const state = useRef({ isOver: false, isFocused: false, isScrolled: false });
  const set = (part: Partial<typeof state.current>): void => {
    state.current = { ...state.current, ...part };
    onHold(Object.values(state.current).some(Boolean));
  };
  const hold = useRef(onHold);
  useEffect(() => {
    hold.current = onHold;
  });
  useEffect(() => () => hold.current(false), []);
  return {
    onPointerEnter: ({ pointerType }: { readonly pointerType: string }) => set({ isOver: pointerType === 'mouse' }),
    onPointerLeave: () => set({ isOver: false }),
    // A click focuses a row too, but the pointer says when it is read.
    onFocus: ({ target }: { readonly target: Element }) => set({ isFocused: target.matches(':focus-visible') }),
    onBlur: () => set({ isFocused: false }),
    onScrollCapture: ({ target }: { readonly target: EventTarget }) =>
      set({ isScrolled: target instanceof HTMLElement && target.scrollTop > 0 }),
  };
}

/** Which rows were inserted within the last second. */
function useArrivals({ arrived }: LogRows): (row: LogRow) => boolean {
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set());
  const [seen, setSeen] = useState(arrived);
  if (seen !== arrived) {
    setSeen(arrived);
    setShown(arrived);
  }
  useEffect(() => {
    if (shown.size === 0) return undefined;
    const timer = setTimeout(() => setShown(new Set()), NEW_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  return ({ id }) => shown.has(id);
}
