/** The environment of a product whose sandbox answers so slowly that something can happen meanwhile. */
export const slowSandbox = { SLUICE_SANDBOX_TOKENS_PER_SECOND: '20' };
