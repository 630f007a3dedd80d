/** Which of an account's stored objects a caller may reach. */
export interface ObjectReach {
  readonly accountId: string;
  /** Only what this key made; null for all of the account. */
  readonly apiKeyId: string | null;
}
