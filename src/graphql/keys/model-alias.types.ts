import { Field, InputType, ObjectType } from 'type-graphql';

@ObjectType({ description: 'What the requests of a key get for a name that they ask for.' })
export class ModelAlias {
  @Field(() => String, {
    description: 'The requested name, or a pattern: `claude-*` stands for all names that begin so.',
  })
  name!: string;

  @Field(() => String, { description: 'The model, route or alias that answers. The key must be allowed it.' })
  model!: string;
}

@InputType({ description: 'What the requests of a key get for a name that they ask for.' })
export class ModelAliasInput {
  @Field(() => String, {
    description: 'A name, or a pattern with one `*` at its end: `claude-*`. 1 to 256 characters.',
  })
  name!: string;

  @Field(() => String, {
    description: 'A model (`provider/model`, or a bare name), a route, or an alias of the server.',
  })
  model!: string;
}
