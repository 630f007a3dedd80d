import { useId, type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes } from 'react';
import { ChevronDown } from 'lucide-react';

const box =
  'w-full h-4.5 max-md:h-5.5 rounded-medium border border-edge bg-raised px-1.5 text-ink placeholder:text-soft max-md:text-[16px] aria-invalid:border-bad disabled:opacity-60';

export interface Labelled {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: ReactNode;
  /** Shows the label to screen readers only. */
  readonly hidesLabel?: boolean;
}

export function Field({
  label,
  hint,
  error,
  hidesLabel,
  children,
}: Labelled & {
  readonly children: (ids: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': boolean;
  }) => ReactNode;
}): ReactNode {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className="flex min-w-0 flex-col gap-0.5">
      <label htmlFor={id} className={hidesLabel ? 'sr-only' : 'font-strong'}>
        {label}
      </label>
      {children({ id, 'aria-describedby': note ? `${id}-note` : undefined, 'aria-invalid': Boolean(error) })}
      {note ? (
        <div id={`${id}-note`} role={error ? 'alert' : undefined} className={error ? 'text-bad' : 'text-soft'}>
          {note}
        </div>
      ) : null}
    </div>
  );
}

export function Input({
  label,
  hint,
  error,
  hidesLabel,
  className = '',
  ...rest
}: Labelled & InputHTMLAttributes<HTMLInputElement>): ReactNode {
  return (
    <Field label={label} hint={hint} error={error} hidesLabel={hidesLabel}>
      {(ids) => <input {...rest} {...ids} className={`${box} ${className}`} />}
    </Field>
  );
}

/** The native select, for platform pickers and keyboard search. */
export function Select({
  label,
  hint,
  error,
  hidesLabel,
  children,
  ...rest
}: Labelled & SelectHTMLAttributes<HTMLSelectElement>): ReactNode {
  return (
    <Field label={label} hint={hint} error={error} hidesLabel={hidesLabel}>
      {(ids) => (
        <div className="relative">
          <select {...rest} {...ids} className={`${box} appearance-none pr-4`}>
            {children}
          </select>
          <ChevronDown
            size={16}
            aria-hidden
            className="pointer-events-none absolute top-1/2 right-1 -translate-y-1/2 text-soft"
          />
        </div>
      )}
    </Field>
  );
}

export function Checkbox({
  label,
  hint,
  ...rest
}: { readonly label: ReactNode; readonly hint?: string } & InputHTMLAttributes<HTMLInputElement>): ReactNode {
  const id = useId();
  return (
    <div className="flex items-start gap-1">
      <input
        {...rest}
        id={id}
        type="checkbox"
        aria-describedby={hint ? `${id}-note` : undefined}
        className="mt-0.25 size-2 shrink-0"
      />
      <div className="min-w-0">
        <label htmlFor={id}>{label}</label>
        {hint ? (
          <div id={`${id}-note`} className="text-soft">
            {hint}
          </div>
        ) : null}
      </div>
    </div>
  );
}

/** A group of fields with a legend. */
export function FieldGroup({
  legend,
  hint,
  children,
}: {
  legend: string;
  hint?: string;
  children: ReactNode;
}): ReactNode {
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="mb-0.5 font-strong">{legend}</legend>
      {hint ? <p className="text-soft">{hint}</p> : null}
      {children}
    </fieldset>
  );
}
