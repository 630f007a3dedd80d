/** The stored objects of an account that a client may access. */
export interface ObjectReach {
  readonly accountId: string;
  /** Only objects created by this key; null for all of the account. */
  readonly apiKeyId: string | null;
}
