import type { GraphQLSchema } from 'graphql';
import type { ClassType, ContainerType } from 'type-graphql';

/** The resolvers of a schema, each built with the services that it needs. */
export class ResolverInstances implements ContainerType {
  readonly #byClass: ReadonlyMap<unknown, object>;

  constructor(instances: readonly object[]) {
    this.#byClass = new Map(instances.map((instance) => [instance.constructor, instance]));
  }

  get<T extends object>(resolverClass: ClassType<T>): T {
    const instance = this.#byClass.get(resolverClass);
    if (instance instanceof resolverClass) return instance;
    throw new Error(`There is no instance of ${resolverClass.name}.`);
  }
}

const instancesOf = new WeakMap<GraphQLSchema, ResolverInstances>();

export function setInstances(schema: GraphQLSchema, instances: ResolverInstances): void {
  instancesOf.set(schema, instances);
}

/** For event sources: type-graphql calls them without an instance. */
export function resolverOf<T extends object>(schema: GraphQLSchema, resolverClass: ClassType<T>): T {
  const instances = instancesOf.get(schema);
  if (instances === undefined) throw new Error('This schema has no resolver instances.');
  return instances.get(resolverClass);
}
