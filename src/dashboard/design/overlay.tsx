import { Dialog as Primitive } from 'radix-ui';
import { X } from 'lucide-react';
import { createContext, use, useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react';
import { Button, buttonClass } from './button.tsx';

interface OverlayProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: string;
  readonly children: ReactNode;
}

/** Says what is lost when the overlay closes; null where nothing is. */
const CloseWarning = createContext<(warning: string | null) => void>(() => undefined);

/** While it is rendered, the overlay around it does not close by Escape, a click outside or its cross without a question. */
export function ShownOnce({ what }: { readonly what: string }): ReactNode {
  const warn = use(CloseWarning);
  useEffect(() => {
    warn(`${what} is shown only once. Copy it before you close this.`);
    return () => warn(null);
  }, [warn, what]);
  return null;
}

const veil = 'fixed inset-0 z-40 bg-veil animate-fade';

/** A question in the middle of the page; on a phone, at its foot. */
export function Dialog({ open, onClose, title, description, children }: OverlayProps): ReactNode {
  return (
    <Overlay
      open={open}
      onClose={onClose}
      title={title}
      description={description}
      className="inset-x-0 bottom-0 max-h-[88dvh] rounded-t-large animate-lift md:inset-x-auto md:bottom-auto md:left-1/2 md:top-[12vh] md:w-[560px] md:max-h-[76vh] md:-ml-[280px] md:rounded-large md:animate-rise"
    >
      {children}
    </Overlay>
  );
}

/** What is behind a row, at the side of the list that it came from; on a phone, a sheet over it. */
export function Drawer({ open, onClose, title, description, children }: OverlayProps): ReactNode {
  return (
    <Overlay
      open={open}
      onClose={onClose}
      title={title}
      description={description}
      className="inset-x-0 bottom-0 max-h-[92dvh] rounded-t-large animate-lift md:inset-x-auto md:inset-y-0 md:right-0 md:max-h-none md:w-[560px] md:rounded-none md:border-l md:border-line md:animate-slide"
    >
      {children}
    </Overlay>
  );
}

function Overlay({
  open,
  onClose,
  title,
  description,
  className,
  children,
}: OverlayProps & { readonly className: string }): ReactNode {
  const { edits, warn, onOpenChange, question } = useCloseQuestion(open, onClose);
  return (
    <Primitive.Root open={open} onOpenChange={onOpenChange}>
      <Primitive.Portal>
        <Primitive.Overlay className={veil} />
        <Primitive.Content
          {...(description ? {} : { 'aria-describedby': undefined })}
          {...edits}
          onOpenAutoFocus={focusFirstField}
          className={`fixed z-50 flex flex-col bg-page shadow-float outline-none ${className}`}
        >
          <header className="flex items-start gap-2 px-3 pt-3 pb-2 max-md:px-2">
            <div className="min-w-0 flex-1">
              <Primitive.Title className="text-large wrap-anywhere">{title}</Primitive.Title>
              {description ? (
                <Primitive.Description className="text-soft wrap-anywhere">{description}</Primitive.Description>
              ) : null}
            </div>
            <Primitive.Close aria-label="Close" title="Close" className={`${buttonClass('quiet', true)} -mt-0.5 -mr-1`}>
              <X size={16} aria-hidden />
            </Primitive.Close>
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-3 pb-3 max-md:px-2">
            <CloseWarning value={warn}>{children}</CloseWarning>
          </div>
          {question}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

/** Of the form in an overlay, since it opened. */
interface Edits {
  isEdited: boolean;
  /** What was submitted may have been refused, and is then not saved either. */
  isSubmitted: boolean;
}

/** Asks before it closes what would be lost: a form that was filled, or what is shown only once. */
function useCloseQuestion(open: boolean, onClose: () => void) {
  const [warning, warn] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const content = useRef<HTMLDivElement>(null);
  const edits = useRef<Edits>({ isEdited: false, isSubmitted: false });
  useEffect(() => {
    if (open) return;
    edits.current = { isEdited: false, isSubmitted: false };
    setAsking(false);
  }, [open]);
  const isUnsaved = (): boolean =>
    edits.current.isEdited ||
    (edits.current.isSubmitted &&
      content.current?.querySelector('form :is([role="alert"], [aria-busy="true"])') != null);
  // Events of an overlay within this one arrive here too.
  const isOwn = ({ target, currentTarget }: FormEvent<HTMLDivElement>): boolean =>
    target instanceof Element && currentTarget.contains(target);
  return {
    warn,
    edits: {
      ref: content,
      onInput: (event: FormEvent<HTMLDivElement>) => {
        if (isOwn(event) && event.target instanceof Element && event.target.closest('form') !== null)
          edits.current.isEdited = true;
      },
      onSubmit: (event: FormEvent<HTMLDivElement>) => {
        if (isOwn(event)) edits.current = { isEdited: false, isSubmitted: true };
      },
    },
    onOpenChange: (next: boolean) => {
      if (next) return;
      if (warning !== null || isUnsaved()) setAsking(true);
      else onClose();
    },
    question: isAsking ? (
      <Dialog
        open
        onClose={() => setAsking(false)}
        title={warning === null ? 'Discard your changes?' : 'Have you copied it?'}
        description={warning ?? 'What you entered is not saved.'}
      >
        <div className="flex justify-end gap-1">
          <Button onClick={() => setAsking(false)}>{warning === null ? 'Keep editing' : 'Go back'}</Button>
          <Button
            look="danger"
            onClick={() => {
              setAsking(false);
              onClose();
            }}
          >
            {warning === null ? 'Discard' : 'Close'}
          </Button>
        </div>
      </Dialog>
    ) : null,
  };
}

/** A form is begun at its first field; but not where that brings a keyboard up over it. */
function focusFirstField(event: Event): void {
  const { target } = event;
  if (!(target instanceof HTMLElement) || matchMedia('(pointer: coarse)').matches) return;
  const field = target.querySelector<HTMLElement>('input, select, textarea');
  if (!field) return;
  event.preventDefault();
  field.focus();
}
