export interface MemberName {
  /** The e-mail address of a member without a name. */
  readonly name: string;
  readonly email: string;
}
