/** Types of calls, derived from those that are generated from the OpenAPI document. */
import type { components, paths } from './openapi.ts';

export type Method = 'get' | 'put' | 'post' | 'delete';

/** The routes that take a method. Those outside of /v1 (health, metrics, documents) are not for clients. */
export type Route<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [K in M]: object } ? Extract<P, `/v1/${string}`> : never;
}[keyof paths];

export type Operation<P extends keyof paths, M extends Method> = paths[P] extends { [K in M]: infer O } ? O : never;

type Ok = 200 | 201 | 202 | 204;

/** The body of an operation's answer; undefined: it has none. */
export type Answer<O> = O extends { responses: infer R }
  ? { [S in keyof R & Ok]: R[S] extends { content: { 'application/json': infer B } } ? B : undefined }[keyof R & Ok]
  : never;

/** An option that an operation has only where there is something to give; openapi-typescript writes never where there is not. */
type Optional<Name extends string, T> = [Exclude<T, undefined>] extends [never]
  ? object
  : { readonly [N in Name]?: Exclude<T, undefined> };

type Parameters<O> = O extends { parameters: { path?: infer Path; query?: infer Query } }
  ? Required<Optional<'path', Path>> & Optional<'query', Query>
  : object;

/** `params` is required where a part of the path is to be filled in. */
type ParametersOption<O> =
  object extends Parameters<O> ? { readonly params?: Parameters<O> } : { readonly params: Parameters<O> };

type Json<B> = B extends { content: { 'application/json': infer Body } } ? Body : never;

type BodyOption<O> = O extends { requestBody: infer B }
  ? { readonly body: Json<B> }
  : O extends { requestBody?: infer B }
    ? { readonly body?: Json<Exclude<B, undefined>> }
    : object;

/** What a call may say of itself, beside what its operation takes. */
export interface CallOptions {
  /** Ends the call, retries included: it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Time for the call, retries included, ms. Default: the client's. */
  readonly deadlineMs?: number;
  /** Attempts in all. Default: the client's. What must not be repeated is tried once, whatever this says. */
  readonly attempts?: number;
  /** More headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For reads of a user, or of each of several: pairs to show as they are now (`contact=7@3,contact=9`), beside those that the client remembers. */
  readonly fresh?: string;
}

export type CallInit<O> = ParametersOption<O> & BodyOption<O> & CallOptions;

/** The init may be left out where the operation needs nothing. */
export type InitArguments<O> = object extends CallInit<O> ? [init?: CallInit<O>] : [init: CallInit<O>];

export interface Reply<T> {
  readonly data: T;
  readonly response: Response;
}

/** A task, as `POST /v1/tasks` takes it and as a row of the outbox holds it. */
export type Task = components['schemas']['Task'];
