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

interface Found {
  /** Enter was pressed before what it chooses from was there. */
  readonly isAwaited: boolean;
  /** @param first null while it is looked for */
  report(first: string | null): void;
  answered(): void;
}

const FoundContext = createContext<Found | null>(null);

/**
 * Selects the first of what was found, so that Enter chooses it.
 * @param first its id; undefined where nothing was found, null while it is looked for
 */
export function useFirstFound(first: string | undefined | null, choose: () => void): void {
  const found = use(FoundContext);
  const act = useRef(choose);
  useEffect(() => {
    act.current = choose;
  });
  const isAwaited = found?.isAwaited ?? false;
  useEffect(() => {
    found?.report(first === undefined ? '' : first);
    if (!isAwaited || first === null) return;
    found?.answered();
    if (first !== undefined) act.current();
  }, [found, first, isAwaited]);
}

/** A list in a dialog of its own, of which some are found by a part of their names: for more than a menu holds. */
export function Finder({
  title,
  label,
  placeholder,
  trigger,
  children,
}: {
  readonly title: string;
  /** Of the list. */
  readonly label: string;
  readonly placeholder: string;
  /** A button. */
  readonly trigger: ReactNode;
  /** What was found, each a `FinderItem`. @param search what was typed */
  readonly children: (search: string, close: () => void) => ReactNode;
}): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Trigger asChild>{trigger}</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-veil animate-fade" />
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

/** Apart, so that what was typed is gone when it is opened again. */
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
  const [awaited, setAwaited] = useState<string | null>(null);
  const isReady = useRef(false);
  const search = useDeferredValue(text.trim());
  const isAwaited = awaited !== null && awaited === search;
  const found = useMemo(
    (): Found => ({
      isAwaited,
      report: (first) => {
        isReady.current = first !== null;
        if (first !== null) setSelected(first);
      },
      answered: () => setAwaited(null),
    }),
    [isAwaited],
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
        setAwaited(text.trim());
      }}
    >
      <Command.Input
        value={text}
        onValueChange={(next) => {
          setText(next);
          setAwaited(null);
        }}
        placeholder={placeholder}
        className="h-6 w-full border-b border-line bg-transparent px-2 text-[16px] outline-none placeholder:text-soft"
      />
      <Command.List className="max-h-[min(440px,60dvh)] overflow-y-auto p-1">
        <FoundContext value={found}>{children(search)}</FoundContext>
      </Command.List>
    </Command>
  );
}

export function FinderItem({
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

/** What is said where nothing was found, or of what was. */
export function FinderNote({ children }: { readonly children: ReactNode }): ReactNode {
  return <p className="p-1 text-soft">{children}</p>;
}

/** A button that reads as a field. @param name of what is chosen by it */
export function FinderField({
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
