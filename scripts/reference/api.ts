import type { OpenAPI3, OperationObject, ParameterObject } from 'openapi-typescript';
import { code, markdownTable } from './markdown.ts';
import { openApiWithoutStores } from './openapi-without-stores.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** `docs/reference/api.md`: every route by its tag, with its scope and parameters. */
export async function apiReference(): Promise<string> {
  const { paths = {}, tags = [] } = await openApiWithoutStores();
  const operations = operationsOf(paths);
  const byTag = Map.groupBy(operations, ({ operation }) => operation.tags?.[0] ?? '');
  const descriptions = new Map(tags.map(({ name, description }) => [name, description]));
  const sections = [...byTag].sort(([a], [b]) => placeOf(tags, a) - placeOf(tags, b));
  return `# HTTP API

The routes in short. The whole contract, with the schema of every body and answer, is the OpenAPI document that \`serve\` has at \`/openapi.json\`,
and as a page at \`/docs\`. Errors: [errors.md](errors.md). A scope is what the token must grant (\`RECENCY_TOKENS\`); a route without one needs no token.

${sections.map(([tag, some]) => section(tag, descriptions.get(tag), some)).join('\n\n')}
`;
}

interface Documented {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject & { readonly 'x-scope'?: string };
}

function operationsOf(paths: NonNullable<OpenAPI3['paths']>): Documented[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = (item as Partial<Record<string, OperationObject>>)[method];
      return operation === undefined ? [] : [{ method: method.toUpperCase(), path, operation }];
    }),
  );
}

/** In the order of the document; what it does not describe comes last. */
function placeOf(tags: NonNullable<OpenAPI3['tags']>, tag: string): number {
  const place = tags.findIndex(({ name }) => name === tag);
  return place === -1 ? tags.length : place;
}

function section(tag: string, description: string | undefined, some: readonly Documented[]): string {
  const rows = some.map(({ method, path, operation }) => [
    code(`${method} ${path}`),
    operation['x-scope'] ?? '',
    parametersOf(operation),
    operation.summary ?? '',
  ]);
  const table = markdownTable(['route', 'scope', 'parameters', ''], rows);
  return [`## ${tag}`, ...(description === undefined ? [] : [description]), table].join('\n\n');
}

/** Those of the query, then the headers; those of the path are in the path. */
function parametersOf({ parameters = [], requestBody }: OperationObject): string {
  const named = parameters.filter((parameter): parameter is ParameterObject => 'in' in parameter);
  const query = named.filter((parameter) => parameter.in === 'query').map(({ name }) => code(name));
  const headers = named.filter((parameter) => parameter.in === 'header').map(({ name }) => `header ${code(name)}`);
  const hasBody = requestBody !== undefined && 'required' in requestBody && requestBody.required === true;
  return [...query, ...headers, ...(hasBody ? ['a body'] : [])].join(', ');
}
