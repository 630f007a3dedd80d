/**
 * SQL: how many requests a row of `usage_logs` stands for. 1 where it does not say: rejected ones are counted together, and what
 * is billed after its request, such as a video, has a row of its own that stands for none.
 */
export const requestCount = "coalesce((units->>'requests')::bigint, 1)";

/** SQL: whether a row is of a request that ran: how long it took counts, and its key was used. */
export const isExecuted = `status <> 'rejected' and ${requestCount} > 0`;
