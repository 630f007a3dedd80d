import type { ReactNode } from 'react';

/** Fields below each other, sent by Enter too. */
export function Form({
  onSubmit,
  children,
  label,
  className = '',
}: {
  readonly onSubmit: (form: FormData) => Promise<void>;
  readonly children: ReactNode;
  /** Where a page has several. */
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

/** What stands in a field of a form as it is sent. */
export function valueOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}

/** What a form shows of why nothing came of it. */
export interface FormFault {
  readonly code: string;
  readonly message: string;
}

/** @returns the message, where it is about this field */
export function faultOf(fault: FormFault | null, ...codes: readonly string[]): string | null {
  return fault && codes.includes(fault.code) ? fault.message : null;
}

/** Why nothing came of it, of the form as a whole. */
export function FormAlert({ text }: { readonly text: string | null | undefined }): ReactNode {
  return text ? (
    <p role="alert" className="rounded-medium bg-bad-wash px-1.5 py-1 text-bad">
      {text}
    </p>
  ) : null;
}
