/** How a parameter that a provider does not support is handled: `strict` rejects the request, `drop` omits and reports it. */
export type ParameterPolicy = 'strict' | 'drop';
