import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import type { WebhooksService } from '../../services/webhooks/webhooks.service.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { toWebhook } from './webhook.mapping.ts';
import { CreatedWebhook, CreateWebhookInput, Webhook } from './webhook.types.ts';

@Resolver()
export class WebhooksResolver {
  readonly #webhooks: WebhooksService;

  constructor(webhooks: WebhooksService) {
    this.#webhooks = webhooks;
  }

  @Requires('webhooks.read')
  @Query(() => [Webhook], { description: 'The account’s webhooks. Maximum 10.' })
  async webhooks(@Ctx() context: GraphqlContext): Promise<Webhook[]> {
    const { accountId } = await context.caller();
    return (await this.#webhooks.list(accountId)).map(toWebhook);
  }

  @Requires('webhooks.write')
  @Mutation(() => CreatedWebhook, { description: 'Creates a webhook.' })
  async createWebhook(
    @Arg('input', () => CreateWebhookInput, { description: 'The URL and the event types.' }) input: CreateWebhookInput,
    @Ctx() context: GraphqlContext,
  ): Promise<CreatedWebhook> {
    const { accountId } = await context.caller();
    const { secret, webhook } = await this.#webhooks.create(accountId, input);
    return { secret, webhook: toWebhook(webhook) };
  }

  @Requires('webhooks.write')
  @Mutation(() => Webhook, {
    description: 'Enables a disabled webhook. Events that occurred while it was disabled are not sent.',
  })
  async enableWebhook(
    @Arg('id', () => ID, { description: 'ID of a `Webhook`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<Webhook> {
    const { accountId } = await context.caller();
    return toWebhook(await this.#webhooks.enable(accountId, fromGlobalId('Webhook', id)));
  }

  @Requires('webhooks.write')
  @Mutation(() => Boolean, { description: 'Deletes a webhook. Pending deliveries are discarded.' })
  async deleteWebhook(
    @Arg('id', () => ID, { description: 'ID of a `Webhook`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    const { accountId } = await context.caller();
    await this.#webhooks.remove(accountId, fromGlobalId('Webhook', id));
    return true;
  }
}
