import { createContext, use, useEffect, useRef, type ReactNode } from 'react';
import type { Failure } from '../data/failure.ts';
import { Button } from './button.tsx';

const UNLISTED_MODEL_CODE = 'unlisted_model_name';

interface FormState {
  readonly failure: Failure | null;
  readonly pending?: boolean;
  readonly onSaveAnyway?: (form: FormData) => void;
}

const Context = createContext<FormState | null>(null);

/**
 * Provides a form's failure to its fields (`useFieldError`), and focuses the first invalid field.
 * @param onSaveAnyway saves the form with model names that no provider lists; absent if the form has none
 */
export function FormFailure({
  failure,
  pending,
  onSaveAnyway,
  children,
}: FormState & { readonly children: ReactNode }): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (failure?.param !== undefined) place.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [failure]);
  return (
    <Context value={{ failure, pending, onSaveAnyway }}>
      <div ref={place} className="contents">
        {children}
      </div>
    </Context>
  );
}

/** The failure, if it concerns one of these parameters; null otherwise. */
export function useFieldError(isParam: (param: string) => boolean): ReactNode {
  const { failure, pending, onSaveAnyway } = use(Context) ?? { failure: null };
  if (failure?.param === undefined || !isParam(failure.param)) return null;
  const text = textAtField(failure.message, failure.param);
  if (failure.code !== UNLISTED_MODEL_CODE || !onSaveAnyway) return text;
  return (
    <>
      <p>{text}</p>
      <Button
        className="mt-0.5"
        pending={pending}
        title="Saves the name unchanged"
        onClick={({ currentTarget: { form } }) => {
          if (form?.reportValidity()) onSaveAnyway(new FormData(form));
        }}
      >
        Save anyway
      </Button>
    </>
  );
}

/** Removes parameter names: the text is shown next to the field. */
function textAtField(message: string, param: string): string {
  const prefix = [`\`${param}\`: `, `${param}: `].find((each) => message.startsWith(each)) ?? '';
  const text = message.slice(prefix.length).replace(' (`saveAnyway`)', '');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
