import { createContext, use, useEffect, useRef, type ReactNode } from 'react';
import type { Failure } from '../data/failure.ts';
import { Button } from './button.tsx';

const UNLISTED = 'unlisted_model_name';

interface Shown {
  readonly failure: Failure | null;
  readonly pending?: boolean;
  readonly onSaveAnyway?: (form: FormData) => void;
}

const Context = createContext<Shown | null>(null);

/**
 * Fields that show why a form was not saved, each what is about it (`useFieldFault`). The first of them is focused.
 * @param onSaveAnyway saves the form though no list has a model that it names; absent where it names none
 */
export function FormFailure({
  failure,
  pending,
  onSaveAnyway,
  children,
}: Shown & { readonly children: ReactNode }): ReactNode {
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

/** Why a form was not saved, where that is about one of these members; null where it is not. */
export function useFieldFault(isParam: (param: string) => boolean): ReactNode {
  const { failure, pending, onSaveAnyway } = use(Context) ?? { failure: null };
  if (failure?.param === undefined || !isParam(failure.param)) return null;
  const text = textAtField(failure.message, failure.param);
  if (failure.code !== UNLISTED || !onSaveAnyway) return text;
  return (
    <>
      <p>{text}</p>
      <Button
        className="mt-0.5"
        pending={pending}
        title="Saves the name as it is"
        onClick={({ currentTarget: { form } }) => {
          if (form?.reportValidity()) onSaveAnyway(new FormData(form));
        }}
      >
        Save anyway
      </Button>
    </>
  );
}

/** Without the names of members: it stands beside the field, and its button. */
function textAtField(message: string, param: string): string {
  const prefix = [`\`${param}\`: `, `${param}: `].find((each) => message.startsWith(each)) ?? '';
  const text = message.slice(prefix.length).replace(' (`saveAnyway`)', '');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
