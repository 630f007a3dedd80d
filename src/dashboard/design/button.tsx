import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { LoaderCircle } from 'lucide-react';

const looks = {
  primary: 'bg-accent text-on-accent hover:bg-accent-hover border border-transparent',
  plain: 'bg-raised text-ink border border-line hover:bg-hover',
  quiet: 'text-soft hover:text-ink hover:bg-hover border border-transparent',
  danger: 'bg-bad-wash text-bad border border-transparent hover:border-bad',
} as const;

export type ButtonLook = keyof typeof looks;

const shape =
  'inline-flex items-center justify-center gap-1 rounded-medium font-strong whitespace-nowrap select-none transition-colors [&>svg]:shrink-0 disabled:opacity-60';

/** The classes of a button, for a link that looks like one. */
export function buttonClass(look: ButtonLook = 'plain', isIcon = false): string {
  return `${shape} ${looks[look]} ${isIcon ? 'size-4.5 max-md:size-5.5' : 'h-4.5 px-1.5 max-md:h-5.5'}`;
}

export function Button({
  look = 'plain',
  pending = false,
  icon,
  children,
  className = '',
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly look?: ButtonLook;
  readonly pending?: boolean;
  readonly icon?: ReactNode;
}): ReactNode {
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled || pending}
      aria-busy={pending || undefined}
      className={`${buttonClass(look)} ${className}`}
    >
      {pending ? <LoaderCircle size={16} aria-hidden className="animate-turn" /> : icon}
      {children}
    </button>
  );
}

/** @param label accessible name */
export function IconButton({
  label,
  look = 'quiet',
  children,
  className = '',
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { readonly label: string; readonly look?: ButtonLook }): ReactNode {
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      title={label}
      className={`${buttonClass(look, true)} ${className}`}
    >
      {children}
    </button>
  );
}
