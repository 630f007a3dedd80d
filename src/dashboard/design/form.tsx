import type { ReactNode } from 'react';

/** A vertical form; Enter submits it. */
export function Form({
  onSubmit,
  children,
  label,
  className = '',
}: {
  readonly onSubmit: (form: FormData) => Promise<void>;
  readonly children: ReactNode;
  /** Accessible name, for pages with several forms. */
  readonly label?: string;
  readonly className?: string;
}): ReactNode {
  return (
    <form
      aria-label={label}
      className={`flex flex-col gap-2 ${className}`}
      onSubmit={(event) => {
        event.preventDefault();
        void onSubmit(new FormData(event.currentTarget));
      }}
    >
      {children}
    </form>
  );
}

/** The submitted value of a field. */
export function valueOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}

/** The failure of a form. */
export interface FormError {
  readonly code: string;
  readonly message: string;
}

/** @returns the message if it has one of these codes */
export function errorMessageOf(error: FormError | null, ...codes: readonly string[]): string | null {
  return error && codes.includes(error.code) ? error.message : null;
}

/** A failure of the complete form. */
export function FormAlert({ text }: { readonly text: string | null | undefined }): ReactNode {
  return text ? (
    <p role="alert" className="rounded-medium bg-bad-wash px-1.5 py-1 text-bad">
      {text}
    </p>
  ) : null;
}
