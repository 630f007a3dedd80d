/** Who may create a user: everyone, the invited, or nobody. */
export type SignUpPolicy = 'open' | 'invite' | 'off';
