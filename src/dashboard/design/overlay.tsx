import { Dialog as Primitive } from 'radix-ui';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { buttonClass } from './button.tsx';

interface OverlayProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: string;
  readonly children: ReactNode;
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
  return (
    <Primitive.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <Primitive.Portal>
        <Primitive.Overlay className={veil} />
        <Primitive.Content
          {...(description ? {} : { 'aria-describedby': undefined })}
          onOpenAutoFocus={focusFirstField}
          className={`fixed z-50 flex flex-col bg-page shadow-float outline-none ${className}`}
        >
          <header className="flex items-start gap-2 px-3 pt-3 pb-2 max-md:px-2">
            <div className="min-w-0 flex-1">
              <Primitive.Title className="truncate text-large">{title}</Primitive.Title>
              {description ? <Primitive.Description className="text-soft">{description}</Primitive.Description> : null}
            </div>
            <Primitive.Close aria-label="Close" title="Close" className={`${buttonClass('quiet', true)} -mt-0.5 -mr-1`}>
              <X size={16} aria-hidden />
            </Primitive.Close>
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-3 pb-3 max-md:px-2">{children}</div>
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
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
