import { Popover as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';

/** Content beside a button, which closes on Escape and on a click elsewhere. */
export function Popover({
  trigger,
  label,
  open,
  onOpenChange,
  children,
}: {
  /** A button. */
  readonly trigger: ReactNode;
  /** Accessible name. */
  readonly label: string;
  readonly open?: boolean;
  readonly onOpenChange?: (open: boolean) => void;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <Primitive.Root open={open} onOpenChange={onOpenChange}>
      <Primitive.Trigger asChild>{trigger}</Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          aria-label={label}
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-(--radix-popover-content-available-height) max-w-[min(480px,calc(100vw-16px))] overflow-y-auto rounded-medium border border-line bg-raised p-1.5 shadow-float outline-none animate-rise"
        >
          {children}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
