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

/** Sets the warning shown before the overlay closes; null for none. */
const CloseWarning = createContext<(warning: string | null) => void>(() => undefined);

/** While rendered, the surrounding overlay asks for confirmation before it closes. */
export function WarnBeforeClose({ what }: { readonly what: string }): ReactNode {
  const warn = use(CloseWarning);
  useEffect(() => {
    warn(`${what} is shown only once. Copy it before you close this.`);
    return () => warn(null);
  }, [warn, what]);
  return null;
}

const backdropClass = 'fixed inset-0 z-40 bg-overlay animate-fade';

/** A centred dialog; on a phone, at the bottom. */
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

/** Details of a row, next to its list; on a phone, a sheet. */
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
  const { edits, warn, onOpenChange, confirmation } = useCloseConfirmation(open, onClose);
  /** What had the focus before, such as a row: it gets it back. */
  const opener = useRef<Element | null>(null);
  return (
    <Primitive.Root open={open} onOpenChange={onOpenChange}>
      <Primitive.Portal>
        <Primitive.Overlay className={backdropClass} />
        <Primitive.Content
          {...(description ? {} : { 'aria-describedby': undefined })}
          {...edits}
          onOpenAutoFocus={(event) => {
            opener.current = document.activeElement;
            focusFirstField(event);
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (opener.current instanceof HTMLElement && opener.current.isConnected)
              opener.current.focus({ preventScroll: true });
          }}
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
          {confirmation}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

/** Changes of the form since the overlay opened. */
interface Edits {
  isEdited: boolean;
  /** A submitted form may have been rejected, and is then unsaved. */
  isSubmitted: boolean;
}

/** Asks for confirmation before closing an edited form or content that is shown only once. */
function useCloseConfirmation(open: boolean, onClose: () => void) {
  const [warning, warn] = useState<string | null>(null);
  const [isConfirming, setConfirming] = useState(false);
  const content = useRef<HTMLDivElement>(null);
  const edits = useRef<Edits>({ isEdited: false, isSubmitted: false });
  useEffect(() => {
    if (open) return;
    edits.current = { isEdited: false, isSubmitted: false };
    setConfirming(false);
  }, [open]);
  const isUnsaved = (): boolean =>
    edits.current.isEdited ||
    (edits.current.isSubmitted &&
      content.current?.querySelector('form :is([role="alert"], [aria-busy="true"])') != null);
  // Events of nested overlays bubble up to this one.
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
      if (warning !== null || isUnsaved()) setConfirming(true);
      else onClose();
    },
    confirmation: isConfirming ? (
      <Dialog
        open
        onClose={() => setConfirming(false)}
        title={warning === null ? 'Discard your changes?' : 'Have you copied it?'}
        description={warning ?? 'What you entered is not saved.'}
      >
        <div className="flex justify-end gap-1">
          <Button onClick={() => setConfirming(false)}>{warning === null ? 'Keep editing' : 'Go back'}</Button>
          <Button
            variant="danger"
            onClick={() => {
              setConfirming(false);
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

/** Focuses the first field, except on touch devices, where a keyboard would cover the form. */
function focusFirstField(event: Event): void {
  const { target } = event;
  if (!(target instanceof HTMLElement) || matchMedia('(pointer: coarse)').matches) return;
  const field = target.querySelector<HTMLElement>('input, select, textarea');
  if (!field) return;
  event.preventDefault();
  field.focus();
}
