import { Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { Node } from '../relay/node.types.ts';
import { DateTime } from '../scalars/date-time.ts';

export enum SavedViewPage {
  ANALYTICS = 'analytics',
  USAGE_LOGS = 'usage_logs',
}
registerEnumType(SavedViewPage, {
  name: 'SavedViewPage',
  description: 'A page of the dashboard with saved views.',
  valuesConfig: {
    ANALYTICS: { description: 'Analytics.' },
    USAGE_LOGS: { description: 'Usage Logs.' },
  },
});

@ObjectType({ implements: Node, description: 'A page of the dashboard with its filters, under a name.' })
export class SavedView implements Node {
  @Field(() => ID, { description: 'Global ID.' })
  id!: string;

  @Field(() => String, { description: 'Name of the view.' })
  name!: string;

  @Field(() => SavedViewPage, { description: 'The page.' })
  page!: SavedViewPage;

  @Field(() => String, { description: 'The query of the page’s URL: `?by=key`. Empty for none.' })
  search!: string;

  @Field(() => Boolean, { description: 'Whether all members of the account see it.' })
  isShared!: boolean;

  @Field(() => Boolean, { description: 'Whether the caller created it.' })
  isOwn!: boolean;

  @Field(() => DateTime, { description: 'Creation time.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: Date;
}

@InputType({ description: 'A new saved view.' })
export class CreateSavedViewInput {
  @Field(() => String, { description: 'Name of the view: 1 to 100 characters.' })
  name!: string;

  @Field(() => SavedViewPage, { description: 'The page.' })
  page!: SavedViewPage;

  @Field(() => String, {
    description: 'The query of the page’s URL: `?by=key`. Empty for none. Maximum 2,000 characters.',
  })
  search!: string;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether all members of the account see it. Requires the permission `saved_views.share`. Default: false.',
  })
  isShared?: boolean | null;
}

@InputType({ description: 'Changes of a saved view. Absent fields stay as they are.' })
export class UpdateSavedViewInput {
  @Field(() => String, { nullable: true, description: 'Name of the view: 1 to 100 characters.' })
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'The query of the page’s URL. Maximum 2,000 characters.' })
  search?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether all members of the account see it. Only the user who created it can change this.',
  })
  isShared?: boolean | null;
}
