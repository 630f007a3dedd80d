import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import type { AlertChannelsService } from '../../services/alerts/channels.service.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import {
  AlertChannel,
  CreateAlertChannelInput,
  CreatedAlertChannel,
  UpdateAlertChannelInput,
  UpdatedAlertChannel,
} from './alert-channel.types.ts';
import { toAlert, toAlertChannel } from './alert.mapping.ts';
import { Alert } from './alert.types.ts';

@Resolver()
export class AlertChannelsResolver {
  readonly #channels: AlertChannelsService;

  constructor(channels: AlertChannelsService) {
    this.#channels = channels;
  }

  @Requires('alerts.read')
  @Query(() => [AlertChannel], { description: 'The account’s alert channels. Maximum 20.' })
  async alertChannels(@Ctx() context: GraphqlContext): Promise<AlertChannel[]> {
    const { accountId } = await context.caller();
    return (await this.#channels.list(accountId)).map(toAlertChannel);
  }

  @Requires('alerts.write')
  @Mutation(() => CreatedAlertChannel, { description: 'Creates an alert channel.' })
  async createAlertChannel(
    @Arg('input', () => CreateAlertChannelInput, { description: 'The channel.' }) input: CreateAlertChannelInput,
    @Ctx() context: GraphqlContext,
  ): Promise<CreatedAlertChannel> {
    const { accountId } = await context.caller();
    const { secret, channel } = await this.#channels.create(accountId, input);
    return { secret, channel: toAlertChannel(channel) };
  }

  @Requires('alerts.write')
  @Mutation(() => UpdatedAlertChannel, {
    description:
      'Changes an alert channel. Notifications that are not delivered yet use the new URL or key; e-mail keeps the addresses of when it was queued.',
  })
  async updateAlertChannel(
    @Arg('id', () => ID, { description: 'ID of an `AlertChannel`.' }) id: string,
    @Arg('input', () => UpdateAlertChannelInput, { description: 'The changes.' }) input: UpdateAlertChannelInput,
    @Ctx() context: GraphqlContext,
  ): Promise<UpdatedAlertChannel> {
    const { accountId } = await context.caller();
    const { secret, channel } = await this.#channels.update(accountId, fromGlobalId('AlertChannel', id), input);
    return { secret, channel: toAlertChannel(channel) };
  }

  @Requires('alerts.write')
  @Mutation(() => Alert, {
    description: 'Sends a test notification to an alert channel. The deliveries of the alert show whether it arrived.',
  })
  async testAlertChannel(
    @Arg('id', () => ID, { description: 'ID of an `AlertChannel`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<Alert> {
    const { accountId } = await context.caller();
    return toAlert(await this.#channels.test(accountId, fromGlobalId('AlertChannel', id)), []);
  }

  @Requires('alerts.write')
  @Mutation(() => Boolean, {
    description: 'Deletes an alert channel, also from its rules. Pending notifications are discarded.',
  })
  async deleteAlertChannel(
    @Arg('id', () => ID, { description: 'ID of an `AlertChannel`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    const { accountId } = await context.caller();
    await this.#channels.remove(accountId, fromGlobalId('AlertChannel', id));
    return true;
  }
}
