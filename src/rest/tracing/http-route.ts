const method = /^\/v1(?:beta)?\/models\/[^/]+:(\w+)$/;
const azureDeployment = /^\/openai\/deployments\/[^/]+(?=\/)/;

/** The templates of paths, such as `/v1/files/{id}`: what a client put into a path is in none. */
export class HttpRoutes {
  readonly #fixed = new Set<string>(['/graphql']);
  readonly #templates: (readonly [pattern: RegExp, template: string])[] = [];
  readonly #methods = new Set<string>();

  /** @param templates of the OpenAPI document */
  constructor(templates: readonly string[]) {
    for (const template of templates) {
      if (!template.includes('{')) {
        this.#fixed.add(template);
        continue;
      }
      const [, name] = /^\/v1beta\/models\/\{\w+\}:(\w+)$/.exec(template) ?? [];
      if (name !== undefined) this.#methods.add(name);
      else
        this.#templates.push([
          new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
          template,
        ]);
    }
  }

  /** @param url path and query, as the client wrote them @returns null where the path is not known */
  of(url: string): string | null {
    const end = url.indexOf('?');
    const path = end === -1 ? url : url.slice(0, end);
    return this.#ofPath(path) ?? this.#ofAzure(path);
  }

  #ofPath(path: string): string | null {
    if (this.#fixed.has(path)) return path;
    const [, name] = method.exec(path) ?? [];
    if (name !== undefined && this.#methods.has(name))
      return `${path.slice(0, path.indexOf('/models/'))}/models/{model}:${name}`;
    return this.#templates.find(([pattern]) => pattern.test(path))?.[1] ?? null;
  }

  /** Azure's spellings of the same paths. */
  #ofAzure(path: string): string | null {
    if (!path.startsWith('/openai/')) return null;
    const deployment = azureDeployment.exec(path)?.[0];
    if (deployment === undefined) {
      const rest = path.slice('/openai'.length);
      const route = this.#ofPath(rest.startsWith('/v1/') ? rest : `/v1${rest}`);
      return route === null ? null : `/openai${rest.startsWith('/v1/') ? route : route.slice('/v1'.length)}`;
    }
    const route = this.#ofPath(`/v1${path.slice(deployment.length)}`);
    return route === null ? null : `/openai/deployments/{model}${route.slice('/v1'.length)}`;
  }
}
