/** In the order in which they run: each is a folder of `test` and a project of vitest. */
export const lanes = ['unit', 'services', 'api', 'browser', 'soak', 'promises'] as const;
