/**
 * Spans of what is asked of MySQL and Redis, from the channels on which their clients tell of it (`mysql2` and `ioredis`, by
 * node:diagnostics_channel). Nobody listens while tracing is off, and then the clients publish nothing.
 *
 * Only within a span: what a process does for itself (heartbeats, polls, leases) begins no trace.
 */
import { tracingChannel } from 'node:diagnostics_channel';
import type { CallNames } from './call-names.ts';
import { activeParent, beginSpan, type LiveSpan, type SpanAttributes } from './tracing.ts';

/** What is known of a call. The clients' other fields have values in them and are left alone. */
interface StoreCall {
  readonly serverAddress?: string | undefined;
  readonly serverPort?: number | undefined;
  /** mysql2 */
  readonly query?: string;
  /** mysql2: its name; ioredis: its number */
  readonly database?: string | number;
  /** ioredis */
  readonly command?: string;
  /** ioredis; the first argument of EVAL is a script, that of EVALSHA its digest. */
  readonly args?: readonly string[];
  error?: unknown;
}

type Described = (call: StoreCall) => { readonly name: string; readonly attributes: SpanAttributes };

/** @returns stops recording */
export function recordStoreSpans(names: CallNames): () => void {
  const describeStatement = statementsBy(names);
  const stops = [
    record('mysql2:execute', describeStatement),
    record('mysql2:query', describeStatement),
    record('ioredis:command', commandsBy(names)),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function record(channelName: string, describe: Described): () => void {
  const channel = tracingChannel<unknown, StoreCall>(channelName);
  const begun = new WeakMap<StoreCall, LiveSpan>();
  const end = (call: StoreCall) => {
    begun.get(call)?.end();
    begun.delete(call);
  };
  const listeners = {
    start: (call: StoreCall) => {
      if (activeParent() === undefined) return;
      const { name, attributes } = describe(call);
      const span = beginSpan(name, { kind: 'client', attributes: { ...serverOf(call), ...attributes } });
      if (span !== undefined) begun.set(call, span);
    },
    // Thrown at once: then nothing asynchronous follows.
    end: (call: StoreCall) => {
      if ('error' in call && call.error !== undefined) end(call);
    },
    asyncStart: end,
    asyncEnd: () => undefined,
    error: (call: StoreCall) => begun.get(call)?.fail(codeOf(call.error)),
  };
  channel.subscribe(listeners);
  return () => channel.unsubscribe(listeners);
}

function serverOf({ serverAddress, serverPort }: StoreCall): SpanAttributes {
  return { 'server.address': serverAddress, 'server.port': serverPort };
}

function statementsBy(names: CallNames): Described {
  return ({ query = '', database }) => {
    const { operation, summary } = names.query(query);
    return {
      name: summary,
      attributes: {
        'db.system.name': 'mysql',
        'db.namespace': database === undefined ? undefined : String(database),
        'db.operation.name': operation,
        'db.query.summary': summary,
      },
    };
  };
}

function commandsBy(names: CallNames): Described {
  return ({ command = '', args = [], database }) => {
    const operation = command.toUpperCase();
    const script = operation.startsWith('EVAL') ? names.script(args[0] ?? '') : undefined;
    return {
      name: script === undefined ? operation : `${operation} ${script}`,
      attributes: {
        'db.system.name': 'redis',
        'db.namespace': database === undefined ? undefined : String(database),
        'db.operation.name': operation,
        'db.stored_procedure.name': script,
      },
    };
  };
}

/** The server's own code, which says more than the class of the error. */
function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : error;
}
