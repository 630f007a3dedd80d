import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { LoaderCircle } from 'lucide-react';

const variants = {
  primary: 'bg-accent text-on-accent hover:bg-accent-hover border border-transparent',
  plain: 'bg-raised text-ink border border-line hover:bg-hover',
  quiet: 'text-soft hover:text-ink hover:bg-hover border border-transparent',
  danger: 'bg-bad-wash text-bad border border-transparent hover:border-bad',
} as const;

export type ButtonVariant = keyof typeof variants;

const shape =
  'inline-flex items-center justify-center gap-1 rounded-medium font-strong whitespace-nowrap select-none transition-colors [&>svg]:shrink-0 disabled:opacity-60';

/** The classes of a button, for a link that looks like one. */
export function buttonClass(variant: ButtonVariant = 'plain', isIcon = false): string {
  return `${shape} ${variants[variant]} ${isIcon ? 'size-4.5 max-md:size-5.5' : 'h-4.5 px-1.5 max-md:h-5.5'}`;
}

export function Button({
  variant = 'plain',
  pending = false,
  icon,
  children,
  className = '',
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly variant?: ButtonVariant;
  readonly pending?: boolean;
  readonly icon?: ReactNode;
}): ReactNode {
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled || pending}
      aria-busy={pending || undefined}
      className={`${buttonClass(variant)} ${className}`}
    >
      {pending ? <LoaderCircle size={16} aria-hidden className="animate-turn" /> : icon}
      {children}
    </button>
  );
}

/** @param label accessible name */
export function IconButton({
  label,
  variant = 'quiet',
  children,
  className = '',
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { readonly label: string; readonly variant?: ButtonVariant }): ReactNode {
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      title={label}
      className={`${buttonClass(variant, true)} ${className}`}
    >
      {children}
    </button>
  );
}
