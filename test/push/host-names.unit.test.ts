import { describe, expect, it } from 'vitest';
import { HostNames, type HostNamesOptions, inHosts, namesFor, type Query } from '../../src/push/host-names.ts';

const notFound = () => Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });
const noServer = () => Object.assign(new Error('queryA ETIMEOUT'), { code: 'ETIMEOUT' });

/** Names that end with `.dead` are never answered for. */
function site(options: Partial<HostNamesOptions> = {}) {
  const asked: string[] = [];
  const clock = { now: 0 };
  const state: { fails?: () => Error; silent?: RegExp } = {};
  const query: Query = async (name, family) => {
    asked.push(`${name}/${family}`);
    if (name.endsWith('.dead') || state.silent?.test(name)) return await new Promise(() => undefined);
    if (state.fails !== undefined) throw state.fails();
    if (family === 6) throw notFound();
    return [{ address: '192.0.2.1', ttl: 60 }];
  };
  const text = async () => '';
  const names = new HostNames({
    query,
    hosts: text,
    resolvConf: text,
    now: () => clock.now,
    timeoutMs: 40,
    ...options,
  });
  return { names, asked, clock, state };
}

const FOUND = [{ address: '192.0.2.1', family: 4 }];

describe('a name', () => {
  it('is asked for once at a time, and again only after its time to live', async () => {
    const { names, asked, clock } = site();
    await Promise.all([names.addressesOf('a.example'), names.addressesOf('a.example')]);
    clock.now = 59_000;
    expect(await names.addressesOf('a.example')).toEqual(FOUND);
    expect(asked).toEqual(['a.example/4', 'a.example/6']);
    clock.now = 61_000;
    await names.addressesOf('a.example');
    expect(asked).toHaveLength(4);
  });

  it('that nobody answers for fails within the limit', async () => {
    await expect(site().names.addressesOf('x.dead')).rejects.toThrow(/x\.dead does not resolve: no answer in time/);
  });

  it('that failed, as all do while no name server answers, is found again beside others that are dead', async () => {
    const { names, state } = site();
    state.fails = noServer;
    await expect(names.addressesOf('a.example')).rejects.toThrow(/ETIMEOUT/);
    let given = 0;
    const dead = () =>
      Array.from({ length: 100 }, (_, i) =>
        names.addressesOf(`${i}.dead`).catch(() => {
          given += 1;
        }),
      );
    await Promise.all(dead());
    delete state.fails;
    given = 0;
    const again = dead();
    expect(await names.addressesOf('a.example')).toEqual(FOUND);
    expect(given).toBe(0);
    await Promise.all(again);
  });

  it('that has had no turn has not failed: it does not wait with those that have', async () => {
    const { names, state } = site({ atOnce: 1, waitMs: 20, timeoutMs: 200 });
    const others = () => Promise.allSettled(Array.from({ length: 64 }, (_, i) => names.addressesOf(`${i}.example`)));
    state.fails = noServer;
    await others();
    delete state.fails;
    const first = names.addressesOf('x.dead').catch(() => undefined);
    await expect(names.addressesOf('a.example')).rejects.toThrow('too many names wait');
    await first;
    state.silent = /^\d/;
    const failing = others();
    expect(await names.addressesOf('a.example')).toEqual(FOUND);
    await failing;
  });

  it('delays no other, however many do not resolve', async () => {
    const { names } = site({ atOnce: 2 });
    const dead = () => Promise.allSettled(Array.from({ length: 40 }, (_, i) => names.addressesOf(`${i}.dead`)));
    await dead();
    const again = dead(); // known to fail by now
    let isOver = false;
    void again.then(() => {
      isOver = true;
    });
    expect(await names.addressesOf('a.example')).toEqual(FOUND);
    expect(isOver).toBe(false);
    await again;
  });

  it('keeps its addresses while the name servers do not answer, and loses them when they say that it has none', async () => {
    const { names, clock, state } = site();
    await names.addressesOf('a.example');
    clock.now = 100_000;
    state.fails = noServer;
    expect(await names.addressesOf('a.example')).toEqual(FOUND);
    state.fails = notFound;
    await expect(names.addressesOf('a.example')).rejects.toThrow(/ENOTFOUND/);
    state.fails = noServer;
    await expect(names.addressesOf('a.example')).rejects.toThrow(/ETIMEOUT/);
  });

  it('is looked for in /etc/hosts first', async () => {
    const hosts = async () => '10.0.0.7  hook hook.internal # ours\n::2 hook\n';
    const { names, asked } = site({ hosts });
    expect(await names.addressesOf('HOOK')).toEqual([
      { address: '10.0.0.7', family: 4 },
      { address: '::2', family: 6 },
    ]);
    expect(asked).toEqual([]);
    expect(inHosts('', 'localhost')).toContainEqual({ address: '127.0.0.1', family: 4 });
    expect(inHosts('', 'a.example')).toEqual([]);
  });

  it('is completed by the search domains', async () => {
    const conf = 'nameserver 192.0.2.53\nsearch ns.svc.cluster.local cluster.local\noptions timeout:1 ndots:2\n';
    expect(namesFor('hook', conf)).toEqual(['hook.ns.svc.cluster.local', 'hook.cluster.local', 'hook']);
    expect(namesFor('a.b.example', conf)[0]).toBe('a.b.example');
    expect(namesFor('hook.', conf)).toEqual(['hook']);
    expect(namesFor('hook', '')).toEqual(['hook']);
    const { names, asked } = site({
      resolvConf: async () => conf,
      query: async (name, family) => {
        asked.push(`${name}/${family}`);
        if (name !== 'hook.cluster.local') throw notFound();
        return [{ address: family === 4 ? '10.0.0.8' : '::8', ttl: 1 }];
      },
    });
    expect(await names.addressesOf('hook')).toHaveLength(2);
    expect(new Set(asked.map((one) => one.split('/')[0]))).toEqual(
      new Set(['hook.ns.svc.cluster.local', 'hook.cluster.local']),
    );
  });
});
