import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { Requires } from '../access.ts';
import type { GraphqlContext } from '../context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { toWebhook } from './webhook.mapping.ts';
import { CreatedWebhook, CreateWebhookInput, Webhook } from './webhook.types.ts';

@Resolver()
export class WebhooksResolver {
  @Requires('webhooks.read')
  @Query(() => [Webhook], { description: 'The account’s webhooks: at most 10.' })
  async webhooks(@Ctx() context: GraphqlContext): Promise<Webhook[]> {
    const { accountId } = await context.caller();
    return (await context.services.webhooks.list(accountId)).map(toWebhook);
  }

  @Requires('webhooks.write')
  @Mutation(() => CreatedWebhook, { description: 'Has an address told of events from now on.' })
  async createWebhook(
    @Arg('input', () => CreateWebhookInput, { description: 'Who is to be told of what.' }) input: CreateWebhookInput,
    @Ctx() context: GraphqlContext,
  ): Promise<CreatedWebhook> {
    const { accountId } = await context.caller();
    const { secret, webhook } = await context.services.webhooks.create(accountId, input);
    return { secret, webhook: toWebhook(webhook) };
  }

  @Requires('webhooks.write')
  @Mutation(() => Webhook, {
    description: 'Sends events to a disabled webhook again, from now on. What happened meanwhile is not sent.',
  })
  async enableWebhook(
    @Arg('id', () => ID, { description: 'Of a `Webhook`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<Webhook> {
    const { accountId } = await context.caller();
    return toWebhook(await context.services.webhooks.enable(accountId, fromGlobalId('Webhook', id)));
  }

  @Requires('webhooks.write')
  @Mutation(() => Boolean, { description: 'Removes a webhook. What it was still to be told is dropped.' })
  async deleteWebhook(
    @Arg('id', () => ID, { description: 'Of a `Webhook`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    const { accountId } = await context.caller();
    await context.services.webhooks.remove(accountId, fromGlobalId('Webhook', id));
    return true;
  }
}
