import { z } from 'zod';
import { configSchema } from '../../config/config-schema.ts';
import { table } from './table.ts';

const nodeForm = z.looseObject({
  type: z.string().optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  additionalProperties: z.unknown().optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
});
type Node = z.infer<typeof nodeForm>;

/** What the keys of a map stand for, by section. */
const keyNames: Readonly<Record<string, string>> = {
  providers: '<provider>',
  aliases: '<name>',
  routes: '<route>',
  models: '<model>',
  plans: '<plan>',
  identityProviders: '<id>',
};
/** A described member with more members than this is one row. */
const MAX_DESCRIBED_MEMBERS = 6;

/**
 * The sections of `sluice.yaml`, each with a table of its members.
 * @throws Error if a member has no description
 */
export function configReference(): string {
  const root = nodeForm.parse(z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }));
  const sections = Object.entries(root.properties ?? {}).map(([name, schema]): [string, string[][]] => [
    name,
    rowsOf(name, '', nodeForm.parse(schema), false),
  ]);
  const scalars = sections.filter(([, [row]]) => row?.[0] === '``');
  return [
    ...sections
      .filter((section) => !scalars.includes(section))
      .map(([name, rows]) => `### \`${name}\`\n\n${table(['member', 'type', 'meaning'], rows)}`),
    `### Other settings\n\n${table(
      ['member', 'type', 'meaning'],
      scalars.map(([name, [row = []]]) => [`\`${name}\``, ...row.slice(1)]),
    )}`,
  ].join('\n\n');
}

function rowsOf(section: string, path: string, node: Node, required: boolean): string[][] {
  const children = childrenOf(section, node);
  const expands = children.length > 0 && (node.description === undefined || areFewAndDescribed(children));
  const own = node.description === undefined ? [] : [[`\`${path}\``, typeOf(node, required), meaningOf(node)]];
  if (!expands && own.length === 0) throw new Error(`${section}: ${path} has no description`);
  if (!expands) return own;
  return [
    ...own,
    ...children.flatMap(({ name, child, isRequired }) => rowsOf(section, join(path, name), child, isRequired)),
  ];
}

function join(path: string, name: string): string {
  return path === '' || name.startsWith('[]') ? `${path}${name}` : `${path}.${name}`;
}

interface Child {
  readonly name: string;
  readonly child: Node;
  readonly isRequired: boolean;
}

function childrenOf(section: string, node: Node): readonly Child[] {
  const object = [node, ...(node.anyOf ?? []).map((each) => nodeForm.parse(each))].find(
    ({ properties, additionalProperties, items }) =>
      properties !== undefined || isSchema(additionalProperties) || isSchema(items),
  );
  if (object === undefined) return [];
  if (isSchema(object.items)) {
    const item = nodeForm.parse(object.items);
    return childrenOf(section, item).map((each) => ({ ...each, name: `[].${each.name}` }));
  }
  if (object.properties === undefined) {
    const child = nodeForm.parse(object.additionalProperties);
    return childrenOf(section, child).length === 0
      ? []
      : [{ name: keyNames[section] ?? '<name>', child, isRequired: false }];
  }
  return Object.entries(object.properties).map(([name, child]) => ({
    name,
    child: nodeForm.parse(child),
    isRequired: object.required?.includes(name) ?? false,
  }));
}

function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function areFewAndDescribed(children: readonly Child[]): boolean {
  return children.length <= MAX_DESCRIBED_MEMBERS && children.every(({ child }) => child.description !== undefined);
}

function meaningOf({ description = '', default: value }: Node): string {
  const isConstant = ['string', 'number', 'boolean'].includes(typeof value);
  return isConstant ? `${description} Default: \`${String(value)}\`.` : description;
}

function typeOf(node: Node, required: boolean): string {
  return `${nameOf(node)}${required ? ', required' : ''}`;
}

function nameOf(node: Node): string {
  if (node.enum) return node.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (node.const !== undefined) return `\`${String(node.const)}\``;
  if (node.anyOf) {
    const names = node.anyOf.map((each) => nameOf(nodeForm.parse(each)));
    return [...new Set(names)].join(' or ');
  }
  if (node.type === 'array') return `list of ${nameOf(nodeForm.parse(node.items))}`;
  return node.type === undefined ? 'any' : node.type === 'null' ? '`null`' : node.type;
}
