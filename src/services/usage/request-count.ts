/**
 * SQL: the number of requests of a row of `usage_logs`. 1 by default: rejected requests are counted together, and usage that
 * is billed after its request, such as a video, has a row that counts as none.
 */
export const requestCount = "coalesce((units->>'requests')::bigint, 1)";

/** SQL: whether a row is of an executed request, whose duration and key use count. */
export const isExecuted = `status <> 'rejected' and ${requestCount} > 0`;
