/** What a form's field says, without the space around it; empty where it says nothing. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

/** Null where the field is empty. */
export function numberOf(form: FormData, name: string): number | null {
  const text = textOf(form, name);
  return text === '' ? null : Number(text);
}

/** Which of the values that there are were chosen: by checkboxes, or by a list. */
export function chosenOf<T extends string>(form: FormData, name: string, allowed: readonly T[]): T[] {
  const chosen = form.getAll(name);
  return allowed.filter((each) => chosen.includes(each));
}
