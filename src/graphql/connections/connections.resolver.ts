import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { Requires } from '../access.ts';
import type { GraphqlContext } from '../context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { toProviderCredential } from './connection.mapping.ts';
import { ConnectProviderInput, Provider, ProviderCredential, UpdateConnectionInput } from './connection.types.ts';

@Resolver()
export class ConnectionsResolver {
  @Requires('connections.read')
  @Query(() => [Provider], { description: 'The providers that can be connected by name.' })
  providers(@Ctx() context: GraphqlContext): Provider[] {
    return [...context.services.connections.providers];
  }

  @Requires('connections.read')
  @Query(() => [ProviderCredential], { description: 'The account’s own provider connections: at most 50.' })
  async providerConnections(@Ctx() context: GraphqlContext): Promise<ProviderCredential[]> {
    const { accountId } = await context.caller();
    return (await context.services.connections.list(accountId)).map(toProviderCredential);
  }

  @Requires('connections.write')
  @Mutation(() => ProviderCredential, {
    description:
      'Connects a provider under the account’s own key. Its requests go there from now on, unless it was saved though its test failed.',
  })
  async connectProvider(
    @Arg('input', () => ConnectProviderInput, { description: 'What is to be connected.' }) input: ConnectProviderInput,
    @Ctx() context: GraphqlContext,
  ): Promise<ProviderCredential> {
    const { accountId } = await context.caller();
    return toProviderCredential(await context.services.connections.connect(accountId, input));
  }

  @Requires('connections.write')
  @Mutation(() => ProviderCredential, { description: 'Changes a connection.' })
  async updateConnection(
    @Arg('input', () => UpdateConnectionInput, { description: 'What is to be changed.' }) input: UpdateConnectionInput,
    @Ctx() context: GraphqlContext,
  ): Promise<ProviderCredential> {
    const { accountId } = await context.caller();
    const { id, active, ...rest } = input;
    const change = { ...rest, active: active ?? undefined };
    const { connections } = context.services;
    return toProviderCredential(await connections.update(accountId, fromGlobalId('ProviderCredential', id), change));
  }

  @Requires('connections.write')
  @Mutation(() => ProviderCredential, {
    description:
      'Asks the provider for its models. How that went stands in `lastTest`; an inactive connection that answers becomes active.',
  })
  async testConnection(
    @Arg('id', () => ID, { description: 'Of a `ProviderCredential`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<ProviderCredential> {
    const { accountId } = await context.caller();
    const { connections } = context.services;
    return toProviderCredential(await connections.test(accountId, fromGlobalId('ProviderCredential', id)));
  }

  @Requires('connections.write')
  @Mutation(() => Boolean, { description: 'Removes a connection with its credentials, for good.' })
  async disconnectProvider(
    @Arg('id', () => ID, { description: 'Of a `ProviderCredential`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    const { accountId } = await context.caller();
    await context.services.connections.disconnect(accountId, fromGlobalId('ProviderCredential', id));
    return true;
  }
}
