import { onTestFinished } from 'vitest';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { startKafka } from '../../src/tools/devservers/start-server.ts';
import { TcpProxy } from './tcp-proxy.ts';

interface KafkaBehindProxy {
  readonly proxy: TcpProxy;
  /** Of the proxy. */
  readonly address: string;
  /** Of the broker. */
  readonly behind: string;
}

/** A broker that tells its clients the address of a proxy before it, until the test ends. */
export async function kafkaBehindProxy(): Promise<KafkaBehindProxy> {
  const [port, behind, controller] = [await freePort(), await freePort(), await freePort()];
  const proxy = await TcpProxy.before(`kafka://127.0.0.1:${behind}`);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const address = new URL(proxy.url).host;
  const own = `PLAINTEXT://127.0.0.1:${port}`;
  const properties = {
    listeners: `${own},PROXY://127.0.0.1:${behind},CONTROLLER://127.0.0.1:${controller}`,
    'advertised.listeners': `${own},PROXY://${address}`,
    'controller.quorum.voters': `1@127.0.0.1:${controller}`,
    'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,PROXY:PLAINTEXT',
  };
  const args = Object.entries(properties).flatMap(([name, value]) => ['--override', `${name}=${value}`]);
  const broker = await startKafka({ from: 'programs', port, args });
  onTestFinished(() => broker.remove());
  return { proxy, address, behind: `127.0.0.1:${behind}` };
}
