import { Command } from 'cmdk';
import { ChevronsUpDown } from 'lucide-react';
import { Dialog } from 'radix-ui';
import {
  createContext,
  use,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
  type ButtonHTMLAttributes,
  type ReactNode,
} from 'react';

interface ComboboxState {
  /** Enter was pressed before results were loaded. */
  readonly isEnterPending: boolean;
  /** @param first null while searching */
  report(first: string | null): void;
  clearPending(): void;
}

const ComboboxContext = createContext<ComboboxState | null>(null);

/**
 * Selects the first result, so that Enter selects it.
 * @param first its ID; undefined without results, null while searching
 */
export function useFirstResult(first: string | undefined | null, select: () => void): void {
  const combobox = use(ComboboxContext);
  const onEnter = useRef(select);
  useEffect(() => {
    onEnter.current = select;
  });
  const isEnterPending = combobox?.isEnterPending ?? false;
  useEffect(() => {
    combobox?.report(first === undefined ? '' : first);
    if (!isEnterPending || first === null) return;
    combobox?.clearPending();
    if (first !== undefined) onEnter.current();
  }, [combobox, first, isEnterPending]);
}

/** A searchable list in a dialog, for more items than fit in a menu. */
export function Combobox({
  title,
  label,
  placeholder,
  trigger,
  children,
}: {
  readonly title: string;
  /** Accessible name of the list. */
  readonly label: string;
  readonly placeholder: string;
  /** A button. */
  readonly trigger: ReactNode;
  /** The results as `ComboboxItem`s. @param search the entered text */
  readonly children: (search: string, close: () => void) => ReactNode;
}): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Trigger asChild>{trigger}</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-overlay animate-fade" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-50 w-[min(640px,calc(100vw-16px))] -translate-x-1/2 overflow-hidden rounded-large border border-line bg-raised shadow-float outline-none max-md:top-1"
        >
          <Dialog.Title className="sr-only">{title}</Dialog.Title>
          <List label={label} placeholder={placeholder}>
            {(search) => children(search, () => setOpen(false))}
          </List>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** A separate component, so that the entered text is cleared when it is reopened. */
function List({
  label,
  placeholder,
  children,
}: {
  readonly label: string;
  readonly placeholder: string;
  readonly children: (search: string) => ReactNode;
}): ReactNode {
  const [text, setText] = useState('');
  const [selected, setSelected] = useState('');
  const [pendingSearch, setPendingSearch] = useState<string | null>(null);
  const isReady = useRef(false);
  const search = useDeferredValue(text.trim());
  const isEnterPending = pendingSearch !== null && pendingSearch === search;
  const combobox = useMemo(
    (): ComboboxState => ({
      isEnterPending,
      report: (first) => {
        isReady.current = first !== null;
        if (first !== null) setSelected(first);
      },
      clearPending: () => setPendingSearch(null),
    }),
    [isEnterPending],
  );
  return (
    <Command
      label={label}
      shouldFilter={false}
      loop
      value={selected}
      onValueChange={setSelected}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
        if (isReady.current && search === text.trim()) return;
        event.preventDefault();
        setPendingSearch(text.trim());
      }}
    >
      <Command.Input
        value={text}
        onValueChange={(next) => {
          setText(next);
          setPendingSearch(null);
        }}
        placeholder={placeholder}
        className="h-6 w-full border-b border-line bg-transparent px-2 text-[16px] outline-none placeholder:text-soft"
      />
      <Command.List className="max-h-[min(440px,60dvh)] overflow-y-auto p-1">
        <ComboboxContext value={combobox}>{children(search)}</ComboboxContext>
      </Command.List>
    </Command>
  );
}

export function ComboboxItem({
  id,
  onChoose,
  children,
}: {
  readonly id: string;
  readonly onChoose: () => void;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <Command.Item
      value={id}
      onSelect={onChoose}
      className="flex cursor-pointer items-center gap-2 rounded-small px-1 py-0.75 data-[selected=true]:bg-hover"
    >
      {children}
    </Command.Item>
  );
}

/** A note about the results. */
export function ComboboxNote({ children }: { readonly children: ReactNode }): ReactNode {
  return <p className="p-1 text-soft">{children}</p>;
}

/** A button that looks like a field. @param name name of the selection */
export function ComboboxTrigger({
  name,
  children,
  ...rest
}: {
  readonly name: string;
  readonly children: ReactNode;
} & ButtonHTMLAttributes<HTMLButtonElement>): ReactNode {
  return (
    <button
      type="button"
      {...rest}
      className="flex min-h-4.5 w-full min-w-0 items-center gap-1 rounded-medium border border-edge bg-raised px-1.5 py-0.75 text-left hover:bg-hover max-md:min-h-5.5"
    >
      <span className="sr-only">{name}: </span>
      {children}
      <ChevronsUpDown size={16} aria-hidden className="shrink-0 text-soft" />
    </button>
  );
}
