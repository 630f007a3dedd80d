import type { ReactNode, TextareaHTMLAttributes } from 'react';
import { Field, type Labelled } from './field.tsx';

/** Multi-line text that grows with its content. */
export function Textarea({
  label,
  hint,
  error,
  hidesLabel,
  className = '',
  ...rest
}: Labelled & TextareaHTMLAttributes<HTMLTextAreaElement>): ReactNode {
  return (
    <Field label={label} hint={hint} error={error} hidesLabel={hidesLabel}>
      {(ids) => (
        <textarea
          rows={3}
          {...rest}
          {...ids}
          className={`field-sizing-content max-h-[40dvh] min-h-8 w-full resize-y rounded-medium border border-edge bg-raised px-1.5 py-1 text-ink placeholder:text-soft max-md:text-[16px] aria-invalid:border-bad disabled:opacity-60 ${className}`}
        />
      )}
    </Field>
  );
}
