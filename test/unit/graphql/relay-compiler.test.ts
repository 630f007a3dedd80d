import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSchema, getNamedType, isObjectType, type GraphQLSchema, isRequiredArgument } from 'graphql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');
const schemaText = readFileSync(join(root, 'schema', 'schema.graphql'), 'utf8');

/** Relay treats every type with such a name as a connection. */
const RESERVED_SUFFIX = 'Connection';

function pageFragments(schema: GraphQLSchema): readonly string[] {
  return Object.keys(schema.getTypeMap())
    .filter((name) => name.endsWith(RESERVED_SUFFIX))
    .map(
      (name) =>
        `fragment documents_${name} on ${name} { edges { cursor node { __typename } } pageInfo { hasNextPage endCursor } }`,
    );
}

/** Each root connection without other required arguments, as Relay's clients paginate it. */
function paginationFragments(schema: GraphQLSchema): readonly string[] {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {});
  const paged = fields.filter(({ args }) => args.some(({ name }) => name === 'first'));
  return paged.map(({ name, args }) => {
    const required = args.filter(isRequiredArgument);
    const defined = required.map((each) => `, ${each.name}: { type: "${each.type}" }`).join('');
    const given = required.map((each) => `, ${each.name}: $${each.name}`).join('');
    return `fragment documents_${name} on Query
        @argumentDefinitions(first: { type: "Int", defaultValue: 10 }, after: { type: "Cursor" }${defined})
        @refetchable(queryName: "documents${name}Query") {
        ${name}(first: $first, after: $after${given}) @connection(key: "documents_${name}") { edges { node { __typename } } }
      }`;
  });
}

/** Each node type, refetched by its ID. */
function refetchFragments(schema: GraphQLSchema): readonly string[] {
  const node = schema.getType('Node');
  return Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) && type.getInterfaces().some((each) => getNamedType(each) === node))
    .map(
      ({ name }) =>
        `fragment documents_refetched${name} on ${name} @refetchable(queryName: "documentsRefetched${name}Query") { id }`,
    );
}

describe('the Relay compiler', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-relay-'));
    mkdirSync(join(folder, 'src'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function compile(text: string): { status: number | null; output: string } {
    const schema = buildSchema(text);
    const documents = [...pageFragments(schema), ...paginationFragments(schema), ...refetchFragments(schema)];
    expect(documents.length).toBeGreaterThan(20);
    writeFileSync(join(folder, 'schema.graphql'), text);
    writeFileSync(
      join(folder, 'relay.config.json'),
      JSON.stringify({ src: 'src', schema: 'schema.graphql', language: 'typescript', eagerEsModules: true }),
    );
    writeFileSync(
      join(folder, 'src', 'documents.ts'),
      documents.map((each, index) => `export const d${index} = graphql\`${each}\`;\n`).join(''),
    );
    const compiler = join(root, 'node_modules', 'relay-compiler', 'cli.js');
    const { status, stdout, stderr } = spawnSync(process.execPath, [compiler], { cwd: folder, encoding: 'utf8' });
    return { status, output: stdout + stderr };
  }

  it('compiles connections and nodes of the schema', () => {
    expect(compile(schemaText)).toMatchObject({ status: 0 });
  });

  it('rejects a type named like a connection that is not one', () => {
    const { status, output } = compile(schemaText.replaceAll('ProviderCredential', 'ProviderConnection'));
    expect(status).not.toBe(0);
    expect(output).toContain('ProviderConnection');
  });
});
