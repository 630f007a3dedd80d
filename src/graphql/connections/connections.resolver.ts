import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import type { ConnectionsService } from '../../services/connections/connections.service.ts';
import { toDataPolicy } from '../models/model.mapping.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { toProviderCredential } from './connection.mapping.ts';
import { ConnectProviderInput, Provider, ProviderCredential, UpdateConnectionInput } from './connection.types.ts';

@Resolver()
export class ConnectionsResolver {
  readonly #connections: ConnectionsService;

  constructor(connections: ConnectionsService) {
    this.#connections = connections;
  }

  @Requires('connections.read')
  @Query(() => [Provider], { description: 'The supported providers.' })
  providers(): Provider[] {
    return this.#connections.providers.map((provider) => ({
      ...provider,
      dataPolicy: toDataPolicy(provider.dataPolicy),
    }));
  }

  @Requires('connections.read')
  @Query(() => [ProviderCredential], { description: 'The account’s own provider connections. Maximum 50.' })
  async providerConnections(@Ctx() context: GraphqlContext): Promise<ProviderCredential[]> {
    const { accountId } = await context.caller();
    return (await this.#connections.list(accountId)).map(toProviderCredential);
  }

  @Requires('connections.write')
  @Mutation(() => ProviderCredential, {
    description:
      'Creates a provider connection with the account’s own credentials. Requests use it immediately, unless it was saved with a failed test.',
  })
  async connectProvider(
    @Arg('input', () => ConnectProviderInput, { description: 'The connection.' }) input: ConnectProviderInput,
    @Ctx() context: GraphqlContext,
  ): Promise<ProviderCredential> {
    const { accountId } = await context.caller();
    return toProviderCredential(await this.#connections.connect(accountId, input));
  }

  @Requires('connections.write')
  @Mutation(() => ProviderCredential, { description: 'Updates a provider connection.' })
  async updateConnection(
    @Arg('input', () => UpdateConnectionInput, { description: 'The changes.' }) input: UpdateConnectionInput,
    @Ctx() context: GraphqlContext,
  ): Promise<ProviderCredential> {
    const { accountId } = await context.caller();
    const { id, active, ...rest } = input;
    const change = { ...rest, active: active ?? undefined };
    return toProviderCredential(
      await this.#connections.update(accountId, fromGlobalId('ProviderCredential', id), change),
    );
  }

  @Requires('connections.write')
  @Mutation(() => ProviderCredential, {
    description:
      'Tests a connection by listing the provider’s models. The result is stored in `lastTest`. An inactive connection becomes active if the test succeeds.',
  })
  async testConnection(
    @Arg('id', () => ID, { description: 'ID of a `ProviderCredential`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<ProviderCredential> {
    const { accountId } = await context.caller();
    return toProviderCredential(await this.#connections.test(accountId, fromGlobalId('ProviderCredential', id)));
  }

  @Requires('connections.write')
  @Mutation(() => Boolean, { description: 'Permanently deletes a connection and its credentials.' })
  async disconnectProvider(
    @Arg('id', () => ID, { description: 'ID of a `ProviderCredential`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    const { accountId } = await context.caller();
    await this.#connections.disconnect(accountId, fromGlobalId('ProviderCredential', id));
    return true;
  }
}
