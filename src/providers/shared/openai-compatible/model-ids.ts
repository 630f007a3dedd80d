/** The names in a server's list of models; null where it is none. */
export function modelIds(answer: unknown): string[] | null {
  // Some servers return the list without an object.
  const data = Array.isArray(answer) ? answer : typeof answer === 'object' && answer && 'data' in answer && answer.data;
  return Array.isArray(data)
    ? data
        .map((model: unknown) => (typeof model === 'object' && model !== null && 'id' in model ? model.id : null))
        .filter((id) => typeof id === 'string')
    : null;
}
