import { Field, ID, InputType } from 'type-graphql';
import { MAX_ADDED } from '../../services/datasets/datasets.service.ts';

@InputType({ description: 'Requests to copy into a dataset.' })
export class AddToDatasetInput {
  @Field(() => ID, { description: 'The dataset.' })
  datasetId!: string;

  @Field(() => [ID], { description: `IDs of \`UsageLog\`s, in the order of the items. Maximum ${MAX_ADDED}.` })
  usageLogIds!: string[];
}
