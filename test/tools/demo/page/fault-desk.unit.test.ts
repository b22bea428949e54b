import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FaultDesk, type FaultDeskOptions } from '../../../../src/tools/demo/page/fault-desk.ts';

/** A program in the broker's place. */
async function startBroker(): Promise<number> {
  const broker = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
  onTestFinished(() => void broker.kill('SIGKILL'));
  await once(broker, 'spawn');
  return Number(broker.pid);
}

function deskWith(transport: 'kafka' | 'streams', origin: 'program' | 'given', pid?: number): FaultDesk {
  const servers = { transport, stack: { parts: [{ name: 'kafka', origin, ...(pid === undefined ? {} : { pid }) }] } };
  const options = { servers, services: { consumers: [] } } as unknown as FaultDeskOptions;
  return new FaultDesk(options);
}

const isStopped = (pid: number) => execFileSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' })[0] === 'T';

describe('the broker', () => {
  it('stands still until it continues, at the end of the demonstration at the latest', async () => {
    const pid = await startBroker();
    const desk = deskWith('kafka', 'program', pid);
    expect(desk.state.broker).toBe('running');
    expect(desk.stopBroker()).toBe(true);
    expect(desk.state.broker).toBe('stopped');
    await expect.poll(() => isStopped(pid)).toBe(true);
    expect(desk.continueBroker()).toBe(true);
    expect(desk.state.broker).toBe('running');
    await expect.poll(() => isStopped(pid)).toBe(false);
    desk.stopBroker();
    await expect.poll(() => isStopped(pid)).toBe(true);
    desk.close();
    await expect.poll(() => isStopped(pid)).toBe(false);
  });

  it.each([
    ['streams', 'program'],
    ['kafka', 'given'],
  ] as const)('is not there with %s, or is not ours: %s', (transport, origin) => {
    const desk = deskWith(transport, origin, process.pid);
    expect(desk.state.broker).toBe('none');
    expect([desk.stopBroker(), desk.continueBroker()]).toEqual([false, false]);
  });
});
