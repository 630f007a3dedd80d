import { Field, ID, Int, ObjectType } from 'type-graphql';
import { PageInfo } from '../relay/page.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';

@ObjectType({ description: 'An account of this server that waits for approval.' })
export class UnapprovedAccount {
  @Field(() => ID, { description: 'The account’s ID, for `approveAccount`.' })
  accountId!: string;

  @Field(() => String, { description: 'Display name.' })
  name!: string;

  @Field(() => [String], { description: 'E-mail addresses of the owners. They are not verified.' })
  owners!: readonly string[];

  @Field(() => DateTime, { description: 'Creation time.' })
  createdAt!: Date;
}

@ObjectType({ description: 'An account that waits for approval, with its cursor.' })
export class UnapprovedAccountEdge {
  @Field(() => Cursor, { description: 'The cursor of this item, for `after` and `before`.' })
  cursor!: string;

  @Field(() => UnapprovedAccount, { description: 'The account.' })
  node!: UnapprovedAccount;
}

@ObjectType({ description: 'A page of accounts that wait for approval, oldest first.' })
export class UnapprovedAccountConnection {
  @Field(() => [UnapprovedAccountEdge], { description: 'The accounts with their cursors.' })
  edges!: UnapprovedAccountEdge[];

  @Field(() => [UnapprovedAccount], { description: 'The accounts.' })
  nodes!: UnapprovedAccount[];

  @Field(() => PageInfo, { description: 'Pagination information.' })
  pageInfo!: PageInfo;

  @Field(() => Int, { description: 'Total number of items over all pages.' })
  totalCount!: number;
}
