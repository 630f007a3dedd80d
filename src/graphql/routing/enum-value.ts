/** The member of an enum by its value. */
export function enumValue<Value extends string>(members: Readonly<Record<string, Value>>, value: `${Value}`): Value {
  const found = Object.values(members).find((member) => member === value);
  if (found === undefined) throw new RangeError(`no member: ${value}`);
  return found;
}
