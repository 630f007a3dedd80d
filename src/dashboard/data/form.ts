/** The trimmed value of a form field. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

/** Null if the field is empty. */
export function numberOf(form: FormData, name: string): number | null {
  const text = textOf(form, name);
  return text === '' ? null : Number(text);
}

/** The allowed values that are selected, in checkboxes or a list. */
export function selectedValuesOf<T extends string>(form: FormData, name: string, allowed: readonly T[]): T[] {
  const chosen = form.getAll(name);
  return allowed.filter((each) => chosen.includes(each));
}
