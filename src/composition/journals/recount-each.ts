/** Each mostly waits for other processes to store their usage. */
const MAX_CONCURRENT = 16;

/** Counts the spending of several accounts again. @throws what `recount` throws */
export async function recountEach(
  accountIds: ReadonlySet<string>,
  recount: (accountId: string) => Promise<void>,
): Promise<void> {
  const waiting = [...accountIds];
  const next = async (): Promise<void> => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) await recount(id);
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, next));
}
