import { Field, ID, Int, ObjectType } from 'type-graphql';
import { PageInfo } from '../relay/page.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';

@ObjectType({ description: 'An account of this server that waits for approval.' })
export class UnapprovedAccount {
  @Field(() => ID, { description: 'What `approveAccount` takes.' })
  accountId!: string;

  @Field(() => String, { description: 'For people.' })
  name!: string;

  @Field(() => [String], { description: 'The e-mail addresses of its owners. Nobody proved that they are theirs.' })
  owners!: readonly string[];

  @Field(() => DateTime, { description: 'When it was made.' })
  createdAt!: Date;
}

@ObjectType({ description: 'An account that waits for approval, and its place among the others.' })
export class UnapprovedAccountEdge {
  @Field(() => Cursor, { description: 'Where a page can begin or end.' })
  cursor!: string;

  @Field(() => UnapprovedAccount, { description: 'The account.' })
  node!: UnapprovedAccount;
}

@ObjectType({ description: 'A page of accounts that wait for approval, in the order in which they were made.' })
export class UnapprovedAccountConnection {
  @Field(() => [UnapprovedAccountEdge], { description: 'The accounts, with their places.' })
  edges!: UnapprovedAccountEdge[];

  @Field(() => [UnapprovedAccount], { description: 'The accounts.' })
  nodes!: UnapprovedAccount[];

  @Field(() => PageInfo, { description: 'Whether there are more.' })
  pageInfo!: PageInfo;

  @Field(() => Int, { description: 'Over all pages.' })
  totalCount!: number;
}
